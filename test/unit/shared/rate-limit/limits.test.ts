import { beforeAll, expect, it } from 'vitest'
import { hashApiKey } from '../../../../shared/api-keys/api-key.ts'
import { fixedPlans } from '../../../../shared/api-keys/plans.ts'
import type { Admission } from '../../../../shared/rate-limit/admission.ts'
import { describeOnEachEngine } from '../../../fixtures/engines.ts'
import { issueKey, openService, type Service } from '../../../fixtures/service.ts'
import { noon } from '../../../fixtures/settable-clock.ts'
import { sized } from '../../../fixtures/size.ts'
import { admissions, kindsOf } from './admissions.ts'

const requests = sized(120, 500)
const sixty = { perMinute: 60, perDay: 1_000 }

describeOnEachEngine('the limits of a key', (engine) => {
  let service: Service
  beforeAll(async () => {
    service = await openService(engine)
  })

  it(`let exactly 60 of ${requests} requests at once through, and show each another number of remaining ones`, async () => {
    service.time.set(noon)
    const { keyHash } = await issueKey(service, sixty)
    const all = await admissions(service.limiter(), keyHash, requests)
    expect(kindsOf(all)).toEqual({ admitted: 60, exhausted: requests - 60 })
    const remaining = all.flatMap((one) => (one.kind === 'admitted' ? [one.bindingWindow.remaining] : []))
    expect(remaining.toSorted((one, other) => one - other)).toEqual(Array.from({ length: 60 }, (_, index) => index))
  })

  it('let exactly 60 through in the next minute, though 100 requests race to open it', async () => {
    service.time.set(noon)
    const { keyHash } = await issueKey(service, sixty)
    const limiter = service.limiter()
    await admissions(limiter, keyHash, 61)
    service.time.advance(60)
    expect(kindsOf(await admissions(limiter, keyHash, 100))).toEqual({ admitted: 60, exhausted: 40 })
  })

  it('let exactly the daily limit through, and name the day as the limit that is used up', async () => {
    service.time.set(noon)
    const { keyHash } = await issueKey(service, { perMinute: 1_000, perDay: 70 })
    const limiter = service.limiter()
    const today = await admissions(limiter, keyHash, 100)
    expect(kindsOf(today)).toEqual({ admitted: 70, exhausted: 30 })
    const refused = today.flatMap((admission) => (admission.kind === 'exhausted' ? [admission.bindingWindow] : []))
    expect(new Set(refused.map((shown) => `${shown.window} ${shown.resetAt}`))).toEqual(
      new Set([`day ${Date.UTC(2026, 10, 3) / 1_000}`]),
    )
    service.time.set(Date.UTC(2026, 10, 3))
    expect(kindsOf(await admissions(limiter, keyHash, 100))).toEqual({ admitted: 70, exhausted: 30 })
  })

  it('are not used up by requests that are refused', async () => {
    service.time.set(noon)
    const { keyHash } = await issueKey(service, { perMinute: 2, perDay: 3 })
    const limiter = service.limiter()
    expect(kindsOf(await admissions(limiter, keyHash, 20))).toEqual({ admitted: 2, exhausted: 18 })
    service.time.advance(60)
    const [third] = await admissions(limiter, keyHash, 1)
    expect(third).toMatchObject({ kind: 'admitted', status: { day: { remaining: 0 } } })
  })

  it('hold in each minute for instances whose clocks differ by seconds around its end', async () => {
    const { keyHash } = await issueKey(service, { perMinute: 10, perDay: 1_000 })
    const behind = service.limiter({ clock: () => Date.UTC(2026, 10, 2, 12, 0, 57) })
    const ahead = service.limiter({ clock: () => Date.UTC(2026, 10, 2, 12, 1, 2) })
    const inOrder: Admission[] = []
    for (let round = 0; round < 15; round += 1) {
      for (const limiter of round < 4 ? [behind] : [ahead, behind]) inOrder.push(await limiter.admit(keyHash))
    }
    const windows = inOrder.flatMap((admission) =>
      admission.kind === 'admitted' ? [admission.record.minuteWindow] : [],
    )
    const first = Date.UTC(2026, 10, 2, 12, 0) / 60_000
    expect(windows).toEqual([...Array(4).fill(first), ...Array(10).fill(first + 1)])
  })

  it('may be raised while the key is in use', async () => {
    service.time.set(noon)
    const { keyHash, keyId } = await issueKey(service, { perMinute: 2, perDay: 100 })
    const limiter = service.limiter()
    await admissions(limiter, keyHash, 2)
    expect((await limiter.admit(keyHash)).kind).toBe('exhausted')
    await service.keys.move(keyId, 'enterprise', { perMinute: 5, perDay: 100 })
    expect(kindsOf(await admissions(limiter, keyHash, 10))).toEqual({ admitted: 3, exhausted: 7 })
  })

  it('may be lowered below what the key has used: nothing remains', async () => {
    service.time.set(noon)
    const { keyHash, keyId } = await issueKey(service, { perMinute: 10, perDay: 100 })
    const limiter = service.limiter()
    await admissions(limiter, keyHash, 8)
    await service.keys.move(keyId, 'enterprise', { perMinute: 5, perDay: 100 })
    expect(await limiter.admit(keyHash)).toMatchObject({ kind: 'exhausted', bindingWindow: { limit: 5, remaining: 0 } })
  })
})

describeOnEachEngine('a key', (engine) => {
  let service: Service
  beforeAll(async () => {
    service = await openService(engine)
  })

  it('that was never issued is invalid', async () => {
    expect(await service.limiter().admit(hashApiKey('pet_test_never_issued'))).toEqual({ kind: 'invalid' })
  })

  it('is invalid at the request that follows its revocation', async () => {
    const { keyHash, keyId } = await issueKey(service, fixedPlans.free)
    const limiter = service.limiter()
    expect((await limiter.admit(keyHash)).kind).toBe('admitted')
    await service.keys.revoke(keyId)
    expect(await limiter.admit(keyHash)).toEqual({ kind: 'invalid' })
  })

  it('is invalid from the moment at which it expires', async () => {
    service.time.set(noon)
    const { keyHash, keyId } = await issueKey(service, fixedPlans.free)
    await service.keys.rotate(keyId, { overlapSeconds: 3_600 })
    const limiter = service.limiter()
    service.time.set(noon + 3_600_000 - 1)
    expect((await limiter.admit(keyHash)).kind).toBe('admitted')
    service.time.advance(0.001)
    expect(await limiter.admit(keyHash)).toEqual({ kind: 'invalid' })
  })
})
