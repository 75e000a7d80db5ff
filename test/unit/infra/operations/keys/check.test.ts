import { beforeEach, expect, it } from 'vitest'
import { KeyAdministration } from '../../../../../infra/operations/keys/administration.ts'
import type { EdgeRegistry } from '../../../../../infra/operations/keys/edge-registry.ts'
import type { IssuedKey } from '../../../../../infra/operations/keys/issuing.ts'
import { issueSeconds } from '../../../../../infra/operations/keys/issuing.ts'
import { localEdgeRegistry } from '../../../../../infra/operations/keys/local-keys.ts'
import { hashApiKey } from '../../../../../shared/api-keys/api-key.ts'
import { fixedPlans } from '../../../../../shared/api-keys/plans.ts'
import { describeOnEachEngine } from '../../../../fixtures/engines.ts'
import { expectWhole, free, type Keys, Killed, openKeys, usagePlanIds } from './operators.ts'

describeOnEachEngine('a check of the keys', (engine) => {
  let keys: Keys
  let administration: KeyAdministration
  let issued: IssuedKey
  let keyHash: ReturnType<typeof hashApiKey>
  beforeEach(async () => {
    keys = await openKeys(engine)
    const operator = keys.operator()
    administration = operator.keys
    issued = await administration.issue(free, operator.show)
    keyHash = hashApiKey(issued.apiKey)
  })

  const problems = async () =>
    (await administration.check(false)).findings.map(({ keyId, problem }) => ({ keyId, problem }))

  /** A check without repair changes nothing; one with it leaves nothing. */
  const expectRepair = async (problem: string, keyId: string): Promise<void> => {
    for (let time = 0; time < 2; time += 1) expect(await problems()).toEqual([{ keyId, problem }])
    expect((await administration.check(true)).findings).toMatchObject([{ keyId, problem, isRepaired: true }])
    expect(await problems()).toEqual([])
    await expectWhole(keys)
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

  it('finds an API Gateway key without a record, once no command can be about to write it', async () => {
    // Before its record is put.
    await expect(keys.operator({ steps: 2 }).keys.issue(free)).rejects.toThrow(Killed)
    const orphan = (await keys.edgeKeys.list()).find(({ value }) => value !== keyHash)
    keys.time.advance(issueSeconds - 1)
    expect((await administration.check(true)).findings).toMatchObject([
      { keyId: orphan?.name, problem: 'unfinished', isRepaired: false },
    ])
    expect(await keys.edgeKeys.list()).toHaveLength(2)
    keys.time.advance(1)
    await expectRepair('gateway_key_without_record', orphan?.name ?? '')
  })

  it('finds a key that nobody has seen, once no command can be about to show it', async () => {
    // Before it is shown.
    await expect(keys.operator({ steps: 3 }).keys.issue(free, async () => undefined)).rejects.toThrow(Killed)
    const unseen = (await keys.table.list()).find((record) => record.keyHash !== keyHash)
    keys.time.advance(issueSeconds - 1)
    expect((await administration.check(true)).findings).toMatchObject([
      { keyId: unseen?.keyId, problem: 'unfinished', isRepaired: false },
    ])
    keys.time.advance(1)
    await expectRepair('gateway_key_of_expired_key', unseen?.keyId ?? '')
    expect(await administration.show(unseen?.keyId ?? '')).toMatchObject({ state: 'revoked' })
  })

  it('finds the API Gateway key of a revoked key', async () => {
    await keys.table.change(keyHash, { state: 'revoked' })
    await expectRepair('gateway_key_of_revoked_key', issued.record.keyId)
  })

  it('finds the API Gateway key of a rotated key whose overlap is over', async () => {
    await administration.rotate(issued.record.keyId, 60, keys.operator().show)
    keys.time.advance(60)
    await expectRepair('gateway_key_of_expired_key', issued.record.keyId)
  })

  it('finds a key without an API Gateway key', async () => {
    await keys.edgeKeys.remove(keyHash)
    await expectRepair('no_gateway_key', issued.record.keyId)
  })

  it.each([usagePlanIds.pro, 'of another API'])('finds a key in another usage plan: %s', async (usagePlanId) => {
    await keys.edgeKeys.move(keyHash, usagePlanId)
    await expectRepair('wrong_usage_plan', issued.record.keyId)
  })

  it('repairs the others where one cannot be repaired', async () => {
    const problem = 'gateway_key_of_revoked_key'
    const other = await administration.issue(free, keys.operator().show)
    for (const { apiKey } of [issued, other]) await keys.table.change(hashApiKey(apiKey), { state: 'revoked' })
    const edge = localEdgeRegistry(keys.edgeKeys, usagePlanIds, keys.time.clock)
    const failing: EdgeRegistry = {
      ...edge,
      remove: async (hash, keyId) => {
        if (hash === keyHash) throw new Error('API Gateway is away.')
        await edge.remove(hash, keyId)
      },
    }
    const { findings } = await new KeyAdministration(keys.table, failing, 'pet_test_', keys.time.clock).check(true)
    expect(new Map(findings.map(({ keyId, ...outcome }) => [keyId, outcome]))).toEqual(
      new Map([
        [issued.record.keyId, { problem, isRepaired: false, failure: 'API Gateway is away.' }],
        [other.record.keyId, { problem, isRepaired: true, failure: undefined }],
      ]),
    )
    expect(await problems()).toEqual([{ keyId: issued.record.keyId, problem }])
  })

  it('is told of by a move, where API Gateway has no key', async () => {
    await keys.edgeKeys.remove(keyHash)
    await expect(administration.move(issued.record.keyId, 'pro', fixedPlans.pro)).rejects.toThrow('"check --repair"')
    expect(await keys.edgeKeys.list()).toEqual([])
    await expectRepair('no_gateway_key', issued.record.keyId)
  })
})
