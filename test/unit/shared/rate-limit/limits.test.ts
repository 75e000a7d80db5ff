import { beforeEach, describe, expect, it } from 'vitest'
import { hashApiKey } from '../../../../shared/api-keys/api-key.ts'
import { fixedPlans } from '../../../../shared/api-keys/plans.ts'
import type { Admission } from '../../../../shared/rate-limit/admission.ts'
import { describeOnEachEngine } from '../../../fixtures/engines.ts'
import { issueKey, openService, type Service, type UsableKey } from '../../../fixtures/service.ts'
import { noon } from '../../../fixtures/settable-clock.ts'
import { sized } from '../../../fixtures/size.ts'

const requests = sized(120, 500)

// Windows that end meanwhile, and commands: interleavings.test.ts.

describeOnEachEngine('the limits of a key', (engine) => {
  let service: Service
  beforeEach(async () => {
    service = await openService(engine)
  })

  const atOnce = (count: number, { keyHash }: UsableKey): Promise<Admission[]> => {
    const limiter = service.limiter()
    return Promise.all(Array.from({ length: count }, () => limiter.admit(keyHash)))
  }

  /** How many of them were admitted, exhausted and so on. */
  const kindsOf = (all: readonly Admission[]): Record<string, number> =>
    Object.fromEntries([...Map.groupBy(all, ({ kind }) => kind)].map(([kind, alike]) => [kind, alike.length]))

  it(`let exactly 60 of ${requests} requests at once through, also where they race to open a minute, and count down`, async () => {
    const key = await issueKey(service, { perMinute: 60, perDay: 1_000 })
    for (let minute = 0; minute < 2; minute += 1) {
      const all = await atOnce(requests, key)
      expect(kindsOf(all)).toEqual({ admitted: 60, exhausted: requests - 60 })
      const remaining = all.flatMap((one) => (one.kind === 'admitted' ? [one.bindingWindow.remaining] : []))
      expect(remaining.toSorted((one, other) => one - other)).toEqual(Array.from({ length: 60 }, (_, index) => index))
      service.time.advance(60)
    }
  })

  it('let exactly the daily limit through, and name the day as the limit that is used up', async () => {
    const key = await issueKey(service, { perMinute: 1_000, perDay: 70 })
    for (const midnight of [Date.UTC(2026, 10, 3), Date.UTC(2026, 10, 4)]) {
      const today = await atOnce(100, key)
      expect(kindsOf(today)).toEqual({ admitted: 70, exhausted: 30 })
      const refused = today.flatMap((one) => (one.kind === 'exhausted' ? [one.bindingWindow] : []))
      expect(refused).toEqual(Array(30).fill({ window: 'day', limit: 70, remaining: 0, resetAt: midnight / 1_000 }))
      service.time.set(midnight)
    }
  })

  it('may be raised, and lowered below what the key has used, while it is in use', async () => {
    const key = await issueKey(service, { perMinute: 2, perDay: 100 })
    expect(kindsOf(await atOnce(3, key))).toEqual({ admitted: 2, exhausted: 1 })
    await service.keys.move(key.keyId, 'enterprise', { perMinute: 5, perDay: 100 })
    expect(kindsOf(await atOnce(10, key))).toEqual({ admitted: 3, exhausted: 7 })
    await service.keys.move(key.keyId, 'enterprise', { perMinute: 4, perDay: 100 })
    expect(await atOnce(1, key)).toMatchObject([{ kind: 'exhausted', bindingWindow: { limit: 4, remaining: 0 } }])
  })

  describe('are no matter for a key that is invalid', () => {
    it('because it was never issued', async () => {
      expect(await service.limiter().admit(hashApiKey('pet_test_never_issued'))).toEqual({ kind: 'invalid' })
    })

    it.each([
      ['the request that follows its revocation', { state: 'revoked' }, 'invalid'],
      ['the millisecond of expiresAt', { expiresAt: noon / 1_000 }, 'admitted'],
      ['the millisecond of overlapEndsAt', { overlapEndsAt: noon / 1_000 }, 'admitted'],
    ] as const)('from %s', async (_when, change, before) => {
      const key = await issueKey(service, fixedPlans.free)
      service.time.set(noon - 1)
      expect(kindsOf(await atOnce(1, key))).toEqual({ admitted: 1 })
      for (const stored of await service.table.list()) await service.table.change(stored, change)
      expect(kindsOf(await atOnce(1, key))).toEqual({ [before]: 1 })
      service.time.set(noon)
      expect(await atOnce(1, key)).toEqual([{ kind: 'invalid' }])
    })
  })
})
