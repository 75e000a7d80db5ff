import { setTimeout } from 'node:timers/promises'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isUsable } from '../../shared/api-keys/api-key-record.ts'
import { startNode } from '../fixtures/machine/node-process.ts'
import { chooseBySize } from '../fixtures/machine/size.ts'
import { type DeployedEnvironment, isDeployed, openDeployedEnvironment, runKeysCommand } from './environments.ts'

const readOptions = ['--env', 'production']

const changeOptions = [...readOptions, '--confirm', 'production']

/** Number of commands that are killed. */
const killCount = chooseBySize(8, 8, 300)

/** Number of keys that are revoked by one command. */
const keyCount = chooseBySize(10, 10, 1_000)

/** Draws a number from 0 to 1. The seed of the properties repeats the numbers. */
const drawPart = (): number => {
  drawnParts += 1
  const [thousandths = 0] = fc.sample(fc.nat(1_000), { numRuns: 1, seed: Number(process.env['PET_SEED']) + drawnParts })
  return thousandths / 1_000
}
let drawnParts = 0

/** Order of a key whose limits no test reaches. */
const order = { owner: 'x', plan: 'enterprise', limits: { perMinute: 30_000, perDay: 1_000_000 } } as const

describe.skipIf(!isDeployed)('the keys of two environments', () => {
  it('an environment accepts no key of another environment', async () => {
    await using staging = await openDeployedEnvironment('staging')
    await using production = await openDeployedEnvironment('production')

    const { apiKey: testKey } = await staging.administration.issue(order)
    const { apiKey: liveKey } = await production.administration.issue(order)

    expect(liveKey).toMatch(/^pet_live_/)
    expect(await production.requestStatus(liveKey)).toBe(200)
    expect(await production.requestStatus(testKey)).toBe(401)
    expect(await staging.requestStatus(liveKey)).toBe(401)
  })
})

describe.skipIf(!isDeployed)('npm run keys on AWS', () => {
  let production: DeployedEnvironment
  let keys: DeployedEnvironment['administration']
  beforeAll(async () => {
    production = await openDeployedEnvironment('production')
    keys = production.administration
  })
  afterAll(() => production[Symbol.asyncDispose]())

  /** Lists the API Gateway keys, each with its plan, that records name if they are usable at a time in seconds. */
  const listNamedGatewayKeys = async (now: number): Promise<string[]> => {
    const list = await keys.list()
    const usable = list.keys.filter((record) => isUsable(record, now))
    return usable.map(({ gatewayKey, plan }) => `${gatewayKey} ${plan}`)
  }

  /**
   * Runs `gateway-keys`, and expects that API Gateway has exactly the keys that usable records name, each in its plan.
   * API Gateway may also have keys of records that ended in the last two minutes, because the function keeps a key for
   * another minute.
   */
  const expectAgreement = async (): Promise<void> => {
    await production.runGatewayKeys()
    const gatewayKeys = (await production.listGatewayKeys()).map(({ value, plan }) => `${value} ${plan}`)
    const now = Date.now() / 1_000
    expect(gatewayKeys).toEqual(expect.arrayContaining(await listNamedGatewayKeys(now)))
    expect(await listNamedGatewayKeys(now - 120)).toEqual(expect.arrayContaining(gatewayKeys))
  }

  it('API Gateway keys are added and deleted when keys are issued, rotated and revoked', async () => {
    const issued = await runKeysCommand(
      'issue',
      ...changeOptions,
      '--plan',
      'free',
      '--scope',
      'read-write',
      '--owner',
      'City shelter & Co',
    )
    const keyId = String(issued['keyId'])
    expect(await production.requestStatus(issued['apiKey'])).toBe(200)
    await expectAgreement()
    // Requests are metered on a new API Gateway key an hour after its creation.
    const { meteredFrom } = await keys.show(keyId)
    expect(meteredFrom).toBeGreaterThan(Date.now() / 1_000 + 3_000)

    const successor = await keys.rotate(keyId)
    await keys.revoke(keyId)

    expect(await production.requestStatus(issued['apiKey'])).toBe(401)
    expect(await production.requestStatus(successor.apiKey)).toBe(200)
    await expectAgreement()
  })

  it('a move of a key under load causes no response other than 200 or 429', { timeout: 120_000 }, async () => {
    const { apiKey, record } = await keys.issue(order)
    await production.runGatewayKeys()
    // Requests are metered on the key's own API Gateway key, as if the key was an hour old.
    await production.keyTable.change(await keys.find(record.keyId), { meteredFrom: 0 })
    const statuses = new Set<number>()
    let isOver = false
    const sendRequests = async (): Promise<void> => {
      while (!isOver) statuses.add(await production.requestStatus(apiKey))
    }

    const load = Promise.all([sendRequests(), sendRequests(), sendRequests(), sendRequests()])
    await keys.set(record.keyId, { plan: 'business' })
    await expectAgreement()
    isOver = true
    await load

    // Requests over the limit may have come, or not.
    statuses.delete(429)
    expect([...statuses]).toEqual([200])
  })

  const killsTitle = `API Gateway agrees with the table two runs after ${killCount} commands were killed`
  it(killsTitle, { timeout: 120_000 + 20_000 * killCount }, async () => {
    const startCommand = (...args: readonly string[]) => startNode(['infra/commands/run.ts', 'keys', ...args])
    const startList = () => startCommand('list', ...readOptions)
    const startedAt = performance.now()
    await Promise.all([startList().ended, startList().ended, startList().ended])
    let longestWaitMilliseconds = performance.now() - startedAt

    let killed = 0
    const kill = async (...args: readonly string[]): Promise<void> => {
      const { child, ended } = startCommand(...args, ...changeOptions)
      // The command is killed at a drawn moment of its run.
      await Promise.race([ended, setTimeout(drawPart() * longestWaitMilliseconds)])
      const isKilled = child.kill('SIGKILL')
      if (isKilled) killed += 1
      // The command had ended before it was killed, so the next waits are shorter.
      if (!isKilled) longestWaitMilliseconds *= 0.9
      await ended
    }
    const issueKey = () => keys.issue({ ...order, owner: 'killed' })
    const killRotate = async (): Promise<void> => {
      const { apiKey, record } = await issueKey()
      await kill('rotate', record.keyId)
      expect(await production.requestStatus(apiKey)).toBe(200)
    }
    const killMove = async (): Promise<void> => {
      const { apiKey, record } = await issueKey()
      await kill('set', record.keyId, '--plan', 'pro')
      expect(await production.requestStatus(apiKey)).toBe(200)
    }
    const killRevoke = async (): Promise<void> => {
      const { record } = await issueKey()
      await kill('revoke', record.keyId)
    }
    const killIssue = async (): Promise<void> => {
      const { apiKey } = await issueKey()
      await kill('issue', '--plan', 'free', '--scope', 'read-write', '--owner', 'killed')
      expect(await production.requestStatus(apiKey)).toBe(200)
    }
    while (killed < killCount) {
      await Promise.all([killRotate(), killMove(), killRevoke()])
      await killIssue()
    }

    await production.runGatewayKeys()
    await expectAgreement()
  })

  const revokeTitle = `API Gateway has none of ${keyCount} keys after all are revoked`
  it(revokeTitle, { timeout: 120_000 + 2_000 * keyCount }, async () => {
    for (let issued = 0; issued < keyCount; issued += 1) {
      await keys.issue({ ...order, owner: 'many' })
      if (issued === Math.floor(keyCount / 2)) await production.runGatewayKeys()
    }

    const report = await runKeysCommand('revoke', '--all', ...changeOptions)

    expect(report).toMatchObject({ revoked: expect.any(Number) })
    expect(await listNamedGatewayKeys(Date.now() / 1_000)).toEqual([])
    await production.runGatewayKeys()
    expect(await production.listGatewayKeys()).toEqual([])
  })
})
