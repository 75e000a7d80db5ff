import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { KeyAdministration } from '../../infra/operations/keys/administration.ts'
import { countGatewayKeys, findGatewayKeys } from '../../infra/operations/keys/deployed/gateway-keys.ts'
import { GatewayRegistry } from '../../infra/operations/keys/deployed/gateway-registry.ts'
import { issueSeconds } from '../../infra/operations/keys/issuing.ts'
import { fixedPlans } from '../../shared/api-keys/plans.ts'
import { failCalls, killAfter, overtakeFirst, throttleFirst } from './aws-faults.ts'
import { isDeployed, type Reached, reach } from './environments.ts'

const order = { owner: 'faults', plan: 'free', allowance: fixedPlans.free } as const

describe.skipIf(!isDeployed)('keys on AWS, where a call fails half-way,', () => {
  let production: Reached
  beforeAll(async () => {
    production = await reach('production')
    return production[Symbol.asyncDispose]
  })

  const fail = (...fault: Parameters<typeof failCalls> extends [unknown, ...infer Rest] ? Rest : never) => {
    const end = failCalls(production.gateway, ...fault)
    onTestFinished(end)
    return end
  }
  const count = () => countGatewayKeys(production.gateway)
  const issue = () => production.administration.issue(order)
  const listed = async () => (await production.administration.list()).length
  const problemsOf = async (keyId: string) =>
    (await production.administration.check(false)).findings
      .filter((finding) => finding.keyId === keyId)
      .map(({ problem }) => problem)
  const works = async (apiKey: string) =>
    (await fetch(`${production.baseUrl}/pets?limit=1`, { headers: { Authorization: `Bearer ${apiKey}` } })).ok

  it.each(['CreateApiKey', 'CreateUsagePlanKey'] as const)(
    'leave nothing of a key when %s fails',
    async (operation) => {
      const before = [await count(), await listed()]
      const end = fail(operation)
      await expect(issue()).rejects.toThrow(`${operation} is away.`)
      expect([await count(), await listed()]).toEqual(before)
      end()
      expect(await works((await issue()).apiKey)).toBe(true)
    },
  )

  it.each(['CreateApiKey', 'CreateUsagePlanKey'] as const)(
    'are issued once when the answer of %s is lost',
    async (operation) => {
      const before = await count()
      fail(operation, 'answer lost', (number) => number === 1)
      expect(await works((await issue()).apiKey)).toBe(true)
      expect(await count()).toBe(before + 1)
    },
  )

  it('are issued, a little later, when API Gateway takes no more requests for a moment', async () => {
    onTestFinished(throttleFirst(production.gateway, 4))
    expect(await works((await issue()).apiKey)).toBe(true)
  })

  it('stay in their usage plan when they cannot join another, and are moved by repeating the move', async () => {
    const { apiKey, record } = await issue()
    fail('CreateUsagePlanKey', 'not sent', (number) => number === 1)
    await expect(production.administration.move(record.keyId, 'pro', fixedPlans.pro)).rejects.toThrow('is away')
    expect(await works(apiKey)).toBe(true)
    expect(await problemsOf(record.keyId)).toEqual(['wrong_usage_plan'])
    await production.administration.move(record.keyId, 'pro', fixedPlans.pro)
    expect(await problemsOf(record.keyId)).toEqual([])
  })

  it('are moved though another command has just moved them elsewhere', async () => {
    const { apiKey, record } = await issue()
    onTestFinished(overtakeFirst(production.gateway, production.environment.usagePlanIds.business))
    await production.administration.move(record.keyId, 'pro', fixedPlans.pro)
    expect(await problemsOf(record.keyId)).toEqual([])
    expect(await works(apiKey)).toBe(true)
  })

  it('are repaired by repeating a move that left them in no plan', async () => {
    const { apiKey, record } = await issue()
    const end = fail('CreateUsagePlanKey')
    await expect(production.administration.move(record.keyId, 'pro', fixedPlans.pro)).rejects.toThrow('is away')
    expect(await works(apiKey)).toBe(false)
    end()
    await production.administration.move(record.keyId, 'pro', fixedPlans.pro)
    expect(await works(apiKey)).toBe(true)
  })

  it('are revoked at once though API Gateway fails, and cleared away by repeating it', async () => {
    const { apiKey, record } = await issue()
    const end = fail('DeleteApiKey')
    await expect(production.administration.revoke(record.keyId)).rejects.toThrow('is away')
    expect(await works(apiKey)).toBe(false)
    expect(await findGatewayKeys(production.gateway, record.keyId)).toHaveLength(1)
    end()
    await production.administration.revoke(record.keyId)
    expect(await findGatewayKeys(production.gateway, record.keyId)).toEqual([])
  })

  it.each(['issue', 'move', 'revoke'] as const)(
    'are whole after a check, before whichever call to AWS "%s" is killed',
    { timeout: 300_000 },
    async (command) => {
      await production.administration.check(true)
      const others = (await count()) - (await active())
      let isKilled = true
      let calls = 0
      for (; isKilled; calls += 1) {
        const { keyId } = (await issue()).record
        const end = killAfter(production, calls)
        isKilled = await carryOut(command, keyId).then(
          () => false,
          (error: Error) => error.message === 'Killed.',
        )
        end()
        const { findings } = await checkLater().check(true)
        expect(findings.filter(({ isRepaired }) => !isRepaired)).toEqual([])
        expect((await checkLater().check(false)).findings).toEqual([])
        expect((await count()) - (await active())).toBe(others)
      }
      expect(calls).toBeGreaterThan(8)
    },
  )

  const active = async () => (await production.administration.list()).filter(({ state }) => state === 'active').length

  const carryOut = async (command: 'issue' | 'move' | 'revoke', keyId: string): Promise<void> => {
    if (command === 'issue') await issue()
    if (command === 'move') await production.administration.move(keyId, 'pro', fixedPlans.pro)
    if (command === 'revoke') await production.administration.revoke(keyId)
  }

  /** Keys as they are checked when no command can be under way any more. */
  const checkLater = (): KeyAdministration => {
    const { table, gateway, environment } = production
    const later = () => Date.now() + 2 * issueSeconds * 1_000
    return new KeyAdministration(table, new GatewayRegistry(gateway, environment), 'pet_live_', later)
  }
})
