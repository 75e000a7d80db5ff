import { beforeEach, describe, expect, it } from 'vitest'
import { hashApiKey } from '../../../../shared/api-keys/api-key.ts'
import { fixedPlans } from '../../../../shared/api-keys/plans.ts'
import type { RateLimiter } from '../../../../shared/rate-limit/rate-limiter.ts'
import { describeOnEachEngine } from '../../../fixtures/engines.ts'
import { issueKey, openService, type Service } from '../../../fixtures/service.ts'
import { noon } from '../../../fixtures/settable-clock.ts'
import { sized } from '../../../fixtures/size.ts'
import { admissions, kindsOf } from './admissions.ts'

const requests = sized(120, 500)

describeOnEachEngine('the limits of a key', (engine) => {
  let service: Service
  let limiter: RateLimiter
  beforeEach(async () => {
    service = await openService(engine)
    limiter = service.limiter()
  })

  it(`let exactly 60 of ${requests} requests at once through, also where they race to open a minute, and count down`, async () => {
    const { keyHash } = await issueKey(service, { perMinute: 60, perDay: 1_000 })
    for (let minute = 0; minute < 2; minute += 1) {
      const all = await admissions(limiter, keyHash, requests)
      expect(kindsOf(all)).toEqual({ admitted: 60, exhausted: requests - 60 })
      const remaining = all.flatMap((one) => (one.kind === 'admitted' ? [one.bindingWindow.remaining] : []))
      expect(remaining.toSorted((one, other) => one - other)).toEqual(Array.from({ length: 60 }, (_, index) => index))
      service.time.advance(60)
    }
  })

  it('let exactly the daily limit through, and name the day as the limit that is used up', async () => {
    const { keyHash } = await issueKey(service, { perMinute: 1_000, perDay: 70 })
    for (const midnight of [Date.UTC(2026, 10, 3), Date.UTC(2026, 10, 4)]) {
      const today = await admissions(limiter, keyHash, 100)
      expect(kindsOf(today)).toEqual({ admitted: 70, exhausted: 30 })
      const refused = today.flatMap((one) => (one.kind === 'exhausted' ? [one.bindingWindow] : []))
      expect(new Set(refused.map(({ window, resetAt }) => `${window} ${resetAt}`))).toEqual(
        new Set([`day ${midnight / 1_000}`]),
      )
      service.time.set(midnight)
    }
  })

  it('are not used up by requests that are refused', async () => {
    const { keyHash, keyId } = await issueKey(service, { perMinute: 2, perDay: 3 })
    expect(kindsOf(await admissions(limiter, keyHash, 20))).toEqual({ admitted: 2, exhausted: 18 })
    expect(await service.keys.show(keyId)).toMatchObject({ minuteCount: 2, dayCount: 2, refusalCount: 18 })
    service.time.advance(60)
    expect(kindsOf(await admissions(limiter, keyHash, 5))).toEqual({ admitted: 1, exhausted: 4 })
  })

  it('may be raised, and lowered below what the key has used, while it is in use', async () => {
    const { keyHash, keyId } = await issueKey(service, { perMinute: 2, perDay: 100 })
    expect(kindsOf(await admissions(limiter, keyHash, 3))).toEqual({ admitted: 2, exhausted: 1 })
    await service.keys.move(keyId, 'enterprise', { perMinute: 5, perDay: 100 })
    expect(kindsOf(await admissions(limiter, keyHash, 10))).toEqual({ admitted: 3, exhausted: 7 })
    await service.keys.move(keyId, 'enterprise', { perMinute: 4, perDay: 100 })
    expect(await limiter.admit(keyHash)).toMatchObject({ kind: 'exhausted', bindingWindow: { limit: 4, remaining: 0 } })
  })

  describe('are no matter for a key that is invalid', () => {
    it('because it was never issued', async () => {
      expect(await limiter.admit(hashApiKey('pet_test_never_issued'))).toEqual({ kind: 'invalid' })
    })

    it('from the request that follows its revocation', async () => {
      const { keyHash, keyId } = await issueKey(service, fixedPlans.free)
      expect((await limiter.admit(keyHash)).kind).toBe('admitted')
      await service.keys.revoke(keyId)
      expect(await limiter.admit(keyHash)).toEqual({ kind: 'invalid' })
    })

    it.each(['expiresAt', 'overlapEndsAt'] as const)('from the millisecond of %s', async (end) => {
      const { keyHash } = await issueKey(service, fixedPlans.free)
      for (const stored of await service.table.list()) {
        await service.table.change(stored, { [end]: noon / 1_000 + 3_600 })
      }
      service.time.set(noon + 3_600_000 - 1)
      expect((await limiter.admit(keyHash)).kind).toBe('admitted')
      service.time.advance(0.001)
      expect(await limiter.admit(keyHash)).toEqual({ kind: 'invalid' })
    })
  })
})
