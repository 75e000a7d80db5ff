import { setTimeout } from 'node:timers/promises'
import { CreateApiKeyCommand, DeleteApiKeyCommand, GetApiKeyCommand } from '@aws-sdk/client-api-gateway'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isUsable } from '../../shared/api-keys/api-key-record.ts'
import { fixedPlans } from '../../shared/api-keys/plans.ts'
import { startNode } from '../fixtures/node-process.ts'
import { chooseBySize } from '../fixtures/size.ts'
import { isDeployed, keysJson, type Reached, reach } from './environments.ts'

const env = ['--env', 'staging']

/** `PET_KEY_KILLS=300` kills more commands, `PET_KEYS=1000` issues more keys. */
const killCount = Number(process.env['PET_KEY_KILLS'] ?? chooseBySize(8, 100))
const keyCount = Number(process.env['PET_KEYS'] ?? chooseBySize(20, 200))

const order = { owner: 'x', plan: 'enterprise', allowance: { perMinute: 30_000, perDay: 1_000_000 } } as const

describe.skipIf(!isDeployed)('npm run keys on AWS', () => {
  let staging: Reached
  let keys: Reached['administration']
  beforeAll(async () => {
    staging = await reach('staging')
    keys = staging.administration
  })
  afterAll(() => staging[Symbol.asyncDispose]())

  const asked = async (now: number): Promise<string[]> => {
    const usable = (await keys.list()).filter((record) => isUsable(record, now))
    return usable.map(({ gatewayKey, plan }) => `${gatewayKey} ${plan}`)
  }

  /**
   * API Gateway has just the keys that usable records ask for, each in the usage plan of its plan. It may also have those of
   * records that ended a short time ago: the function leaves them for a minute.
   */
  const expectAgreement = async (): Promise<void> => {
    await staging.runGatewayKeys()
    const present = (await staging.gatewayKeys()).map(({ value, plan }) => `${value} ${plan}`)
    const now = Date.now() / 1_000
    expect(present).toEqual(expect.arrayContaining(await asked(now)))
    expect(await asked(now - 120)).toEqual(expect.arrayContaining(present))
  }

  it('lets API Gateway follow a key, also where somebody has deleted its own there, and touches none of other APIs', async () => {
    const others = [
      { name: 'key_0another', tags: { environment: 'staging' } },
      { name: 'pet-adoption-production-key_0another', tags: { environment: 'production' } },
      { name: 'pet-adoption-staging-key_0another' },
    ]
    const created = await Promise.all(others.map((key) => staging.gateway.send(new CreateApiKeyCommand(key))))
    const { apiKey, keyId: id } = await keysJson('issue', ...env, '--plan', 'free', '--owner', 'City shelter & Co')
    const keyId = String(id)
    expect(await staging.statusOf(apiKey)).toBe(200)
    await expectAgreement()
    const { gatewayKey, meteredFrom } = await keys.show(keyId)
    expect(meteredFrom).toBeGreaterThan(Date.now() / 1_000 + 3_000)
    const made = { apiKey: (await staging.gatewayKeys()).find(({ value }) => value === gatewayKey)?.id }
    await staging.gateway.send(new DeleteApiKeyCommand(made))
    await staging.runGatewayKeys()
    expect((await keys.show(keyId)).meteredFrom).toBeUndefined()
    await expectAgreement()

    const successor = await keys.rotate(keyId)
    await keys.revoke(keyId)
    expect([await staging.statusOf(apiKey), await staging.statusOf(successor.apiKey)]).toEqual([401, 200])
    await expectAgreement()
    for (const { id: apiKey } of created) {
      expect(await staging.gateway.send(new GetApiKeyCommand({ apiKey }))).toMatchObject({ id: apiKey })
      await staging.gateway.send(new DeleteApiKeyCommand({ apiKey }))
    }
  })

  it('moves a key under load without a response other than 200 or 429', { timeout: 120_000 }, async () => {
    const { apiKey, keyHash, record } = await keys.issue(order)
    await staging.runGatewayKeys()
    // As if it was an hour old: its requests are metered on its own API Gateway key.
    await staging.table.change({ keyHash, record: await keys.show(record.keyId) }, { meteredFrom: 0 })
    const statuses = new Set<number>()
    let isOver = false
    const load = Array.from({ length: 4 }, async () => {
      while (!isOver) statuses.add(await staging.statusOf(apiKey))
    })
    await keys.move(record.keyId, 'business', fixedPlans.business)
    await expectAgreement()
    isOver = true
    await Promise.all(load)
    expect([...statuses].filter((status) => status !== 429)).toEqual([200])
  })

  it(`agrees with API Gateway after ${killCount} commands were killed, and two runs`, {
    timeout: 120_000 + 20_000 * killCount,
  }, async () => {
    const start = (...words: readonly string[]) => startNode(['infra/operations/keys/keys.ts', ...words, ...env])
    const begun = performance.now()
    await Promise.all([1, 2, 3].map(() => start('list').ended))
    let milliseconds = performance.now() - begun
    let killed = 0
    const kill = async (words: readonly string[]): Promise<void> => {
      const { apiKey, record } = await keys.issue({ ...order, owner: 'killed' })
      const { child, ended } = start(...words.map((word) => (word === 'ID' ? record.keyId : word)))
      await Promise.race([ended, setTimeout(Math.random() * milliseconds)])
      if (child.kill('SIGKILL')) killed += 1
      // A command that had ended was waited for too long.
      else milliseconds *= 0.9
      await ended
      if (words[0] !== 'revoke') expect(await staging.statusOf(apiKey)).toBe(200)
    }
    while (killed < killCount) {
      await Promise.all([kill(['rotate', 'ID']), kill(['move', 'ID', '--plan', 'pro']), kill(['revoke', 'ID'])])
      await kill(['issue', '--plan', 'free', '--owner', 'killed'])
    }
    await staging.runGatewayKeys()
    await expectAgreement()
  })

  it(`leaves nothing of ${keyCount} keys once all are revoked`, { timeout: 120_000 + 2_000 * keyCount }, async () => {
    for (let issued = 0; issued < keyCount; issued += 1) {
      await keys.issue({ ...order, owner: 'many' })
      if (issued === Math.floor(keyCount / 2)) await staging.runGatewayKeys()
    }
    expect(await keysJson('revoke', '--all', ...env)).toMatchObject({ revoked: expect.any(Number) })
    expect(await asked(Date.now() / 1_000)).toEqual([])
    await staging.runGatewayKeys()
    expect(await staging.gatewayKeys()).toEqual([])
  })
})
