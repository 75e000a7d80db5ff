import { beforeEach, expect, it, vi } from 'vitest'
import type { KeyAdministration } from '../../../../../infra/operations/keys/administration.ts'
import { isFault } from '../../../../../infra/operations/keys/check-report.ts'
import type { IssuedKey } from '../../../../../infra/operations/keys/issuing.ts'
import { hashApiKey } from '../../../../../shared/api-keys/api-key.ts'
import type { KeyId } from '../../../../../shared/api-keys/api-key-record.ts'
import { fixedPlans, type Plan } from '../../../../../shared/api-keys/plans.ts'
import { describeOnEachEngine } from '../../../../fixtures/engines.ts'
import { expectWhole, free, type Keys, Killed, openKeys } from './operators.ts'

describeOnEachEngine('a check of the keys', (engine) => {
  let keys: Keys
  let administration: KeyAdministration
  let issued: IssuedKey
  let value: string
  beforeEach(async () => {
    keys = await openKeys(engine)
    const operator = keys.operator()
    administration = operator.keys
    issued = await administration.issue(free, operator.show)
    value = issued.record.gatewayKey ?? ''
  })

  const problems = async () =>
    (await administration.check(false)).findings.map(({ keyId, problem }) => ({ keyId, problem }))

  /** A check without repair changes nothing; one with it leaves nothing. */
  const expectRepair = async (problem: string, keyId: string): Promise<void> => {
    for (let time = 0; time < 2; time += 1) expect(await problems()).toEqual([{ keyId, problem }])
    expect((await administration.check(true)).findings).toMatchObject([{ keyId, problem, repaired: true }])
    expect(await problems()).toEqual([])
  }

  it('finds nothing where nothing is wrong', async () => {
    const { show } = keys.operator()
    await administration.rotate(issued.record.keyId, 3_600, show)
    const { record } = await administration.issue(free, show)
    await administration.move(record.keyId, 'business', fixedPlans.business)
    await administration.revoke((await administration.issue(free, show)).record.keyId)
    expect(await administration.check(true)).toEqual({ records: 4, gatewayKeys: 3, findings: [] })
    await expectWhole(keys)
  })

  it.each([
    ['revokes it', 'revoked', async () => undefined],
    [
      'keeps it where it was used',
      'active',
      async (apiKey: string) => void (await keys.limiter().admit(hashApiKey(apiKey))),
    ],
  ])('finds a key whose issue was interrupted, and %s', async (_what, state, use) => {
    let shown = ''
    const show = async ({ apiKey }: IssuedKey) => {
      shown = apiKey
      throw new Killed()
    }
    // Killed while it is shown: of the calls, only the one that adds the record is made.
    await expect(keys.operator({ steps: 1 }).keys.issue(free, show)).rejects.toThrow(Killed)
    await use(shown)
    const unseen = (await administration.unfinished())[0]?.keyId ?? ''
    await expectRepair('unseen', unseen)
    expect(await administration.show(unseen)).toMatchObject({ state, unfinished: undefined })
  })

  it('finds the API Gateway key of a rotated key whose overlap is over, which is no fault', async () => {
    await administration.rotate(issued.record.keyId, 60, keys.operator().show)
    keys.time.advance(60)
    expect((await administration.check(false)).findings.filter(isFault)).toEqual([])
    await expectRepair('expired', issued.record.keyId)
    await expectWhole(keys)
  })

  const place = (keyId: KeyId, plans: readonly Plan[]) => keys.edge.keys.set(value, { id: value, keyId, value, plans })

  it.each<[string, () => unknown]>([
    ['no_gateway_key', () => keys.edge.keys.delete(value)],
    ['wrong_usage_plan', () => place(issued.record.keyId, ['pro'])],
    ['wrong_usage_plan', () => place(issued.record.keyId, ['free', 'pro'])],
    ['wrong_usage_plan', () => place(issued.record.keyId, [])],
  ])('finds %s of a key', async (problem, change) => {
    change()
    await expectRepair(problem, issued.record.keyId)
    await expectWhole(keys)
  })

  it('finds an API Gateway key that no record names', async () => {
    const keyId = 'key_0nobody' as KeyId
    value = 'of nobody'
    place(keyId, ['pro'])
    await expectRepair('gateway_key_without_record', keyId)
    await expectWhole(keys)
  })

  it('repairs the others where one cannot be repaired', async () => {
    const problem = 'unfinished'
    const other = await administration.issue(free, keys.operator().show)
    for (const { apiKey } of [issued, other]) {
      await keys.table.change(hashApiKey(apiKey), { state: 'revoked', unfinished: 'removing' })
    }
    const remove = keys.edge.remove.bind(keys.edge)
    vi.spyOn(keys.edge, 'remove').mockImplementation(async (key) => {
      if (key.value === value) throw new Error('API Gateway is unavailable.')
      await remove(key)
    })
    const { findings } = await administration.check(true)
    expect(findings.filter(isFault)).toMatchObject([{ keyId: issued.record.keyId }])
    expect(isFault({ keyId: issued.record.keyId, problem: 'expired', repaired: false, failure: 'denied' })).toBe(true)
    expect(new Map(findings.map(({ keyId, ...outcome }) => [keyId, outcome]))).toEqual(
      new Map([
        [issued.record.keyId, { problem, repaired: false, failure: 'API Gateway is unavailable.' }],
        [other.record.keyId, { problem, repaired: true, failure: null }],
      ]),
    )
    expect(await problems()).toEqual([{ keyId: issued.record.keyId, problem }])
  })
})
