import { APIGatewayClient, NotFoundException } from '@aws-sdk/client-api-gateway'
import { expect, it } from 'vitest'
import { apiGateway } from '../../../../functions/gateway-keys/api-gateway.ts'
import { type Plan, planNames } from '../../../../shared/api-keys/plans.ts'
import { apiKeyRecord } from '../../shared/api-keys/records.ts'

const ids = planNames.map((plan) => [plan, `plan-${plan}`] as const)
// Every plan is in the list.
const usagePlanIds = Object.fromEntries(ids) as Record<Plan, string>

/** An API Gateway that answers each call, by its name, with these. */
const answering = (answers: Readonly<Record<string, (input: Readonly<Record<string, unknown>>) => unknown>>) => {
  const calls: [name: string, input: Readonly<Record<string, unknown>>][] = []
  const client = new APIGatewayClient({ region: 'eu-central-1' })
  client.middlewareStack.add(
    (_next, context) =>
      async ({ input }) => {
        const name = String(context['commandName']).replace(/Command$/, '')
        calls.push([name, input as Readonly<Record<string, unknown>>])
        return { response: undefined, output: (answers[name]?.(input as never) ?? {}) as never }
      },
    { step: 'initialize', priority: 'low', name: 'answer' },
  )
  return { calls, gateway: apiGateway(client, 'staging', usagePlanIds) }
}

it('lists the keys with the name and the tag of the environment, of every page, with the plans that they are in', async () => {
  const tags = { environment: 'staging' }
  const pages: Readonly<Record<string, object>> = {
    first: { items: [{ id: 'a', name: 'pet-adoption-staging-key_1', value: 'A', tags }], position: 'second' },
    second: {
      items: [
        { id: 'b', name: 'pet-adoption-staging-key_2', value: 'B', tags },
        { id: 'c', name: 'pet-adoption-staging-key_3', value: 'C', tags: { environment: 'production' } },
        { id: 'd', name: 'pet-adoption-staging-key_4', value: 'D' },
        { id: 'e', name: 'pet-adoption-staging-api-reserved', value: 'E', tags },
      ],
    },
  }
  const { gateway, calls } = answering({
    GetApiKeys: ({ position = 'first' }) => pages[String(position)],
    GetUsagePlanKeys: ({ usagePlanId }) => ({ items: usagePlanId === 'plan-pro' ? [{ id: 'b' }] : [] }),
  })
  expect(await gateway.list()).toEqual([
    { id: 'a', value: 'A', plan: undefined },
    { id: 'b', value: 'B', plan: 'pro' },
  ])
  expect(calls[0]).toMatchObject(['GetApiKeys', { nameQuery: 'pet-adoption-staging-', includeValues: true }])
})

it('creates a key with the name and the tag of the environment, and puts it into its plan', async () => {
  const { gateway, calls } = answering({ CreateApiKey: () => ({ id: 'a' }) })
  const { keyId, gatewayKey: value } = apiKeyRecord()
  await gateway.place(await gateway.create({ keyId, gatewayKey: value }), 'pro')
  expect(calls).toEqual([
    [
      'CreateApiKey',
      { name: `pet-adoption-staging-${keyId}`, value, tags: { environment: 'staging', keyId }, enabled: true },
    ],
    ['CreateUsagePlanKey', { usagePlanId: 'plan-pro', keyId: 'a', keyType: 'API_KEY' }],
  ])
})

it.each([
  [new NotFoundException({ $metadata: {}, message: 'gone' }), undefined],
  [new Error('unavailable'), 'unavailable'],
])('deletes a key, also one that is gone: %s', async (error, failure) => {
  const { gateway } = answering({
    DeleteApiKey: () => {
      throw error
    },
  })
  const removal = gateway.remove('a')
  await (failure === undefined ? removal : expect(removal).rejects.toThrow(failure))
})

it('makes four calls a second, of ten that API Gateway takes', async () => {
  const { gateway, calls } = answering({})
  const begun = performance.now()
  await Promise.all(['a', 'b', 'c'].map((id) => gateway.remove(id)))
  expect(calls.map(([name]) => name)).toEqual(Array(3).fill('DeleteApiKey'))
  // A timer may fire a millisecond early.
  expect(performance.now() - begun).toBeGreaterThan(490)
})
