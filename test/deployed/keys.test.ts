import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isUsable } from '../../shared/api-keys/api-key-record.ts'
import { chooseBySize } from '../fixtures/machine/size.ts'
import { type DeployedEnvironment, isDeployed, openDeployedEnvironment, runKeysCommand } from './environments.ts'

const readOptions = ['--env', 'production']

const changeOptions = [...readOptions, '--confirm', 'production']

/** Number of keys that are revoked by one command. */
const keyCount = chooseBySize(10, 10, 1_000)

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
    const terms = ['--plan', 'free', '--scope', 'read-write', '--owner', 'City shelter & Co']
    const issued = await runKeysCommand('issue', ...changeOptions, ...terms)
    const keyId = String(issued['keyId'])
    expect(await production.requestStatus(issued['apiKey'])).toBe(200)
    await expectAgreement()
    // Requests are metered on a new API Gateway key an hour after its creation. 3,000 s leave room for a slow run.
    const { meteredFrom } = await keys.show(keyId)
    expect(meteredFrom).toBeGreaterThan(Date.now() / 1_000 + 3_000)

    const successor = await keys.rotate(keyId)
    await keys.revoke(keyId)

    expect(await production.requestStatus(issued['apiKey'])).toBe(401)
    expect(await production.requestStatus(successor.apiKey)).toBe(200)
    await expectAgreement()
  })

  it('a key that moves to another plan under load gets no response other than 200 or 429', async () => {
    const { apiKey, record } = await keys.issue(order)
    await production.runGatewayKeys()
    // From now on requests are metered on the key's own API Gateway key, as if that was an hour old.
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

  it(`API Gateway has none of ${keyCount} keys after all are revoked`, async () => {
    for (let issued = 0; issued < keyCount; issued += 1) {
      await keys.issue({ ...order, owner: 'many' })
      // Half of the keys are in API Gateway when they are revoked.
      if (issued === Math.floor(keyCount / 2)) await production.runGatewayKeys()
    }

    const report = await runKeysCommand('revoke', '--all', ...changeOptions)

    expect(report).toMatchObject({ revoked: expect.any(Number) })
    expect(await listNamedGatewayKeys(Date.now() / 1_000)).toEqual([])
    await production.runGatewayKeys()
    expect(await production.listGatewayKeys()).toEqual([])
  })
})
