import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { countGatewayKeys, findGatewayKeys } from '../../infra/keys/deployed/gateway-keys.ts'
import { fixedPlans } from '../../shared/api-keys/plans.ts'
import { failCalls, throttleFirst } from './aws-faults.ts'
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

  it('stay in their plan when they cannot join another', async () => {
    const { apiKey, record } = await issue()
    fail('CreateUsagePlanKey', 'not sent', (number) => number === 1)
    await expect(production.administration.move(record.keyId, 'pro', fixedPlans.pro)).rejects.toThrow('is away')
    expect(await production.administration.show(record.keyId)).toMatchObject({ plan: 'free', minuteLimit: 60 })
    expect(await works(apiKey)).toBe(true)
  })

  it('are mended by repeating a move that left them in no plan', async () => {
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
})
