import { APIGatewayClient, NotFoundException } from '@aws-sdk/client-api-gateway'
import { beforeEach, expect, it } from 'vitest'
import { createGatewayKeyClient, type GatewayKeyClient } from '../../../../functions/gateway-keys/api-gateway.ts'
import { type Plan, planNames } from '../../../../shared/api-keys/plans.ts'
import { createApiKeyRecord } from '../../../fixtures/service/api-key-record.ts'
import { createSettableClock } from '../../../fixtures/service/clock.ts'

/** The id of each plan's usage plan, such as `id of pro`. The cast says that each plan has one. */
const usagePlanIds = Object.fromEntries(planNames.map((plan) => [plan, `id of ${plan}`])) as Record<Plan, string>

interface Call {
  readonly operation: string
  readonly input: Readonly<Record<string, unknown>>
}

/** The calls to API Gateway, with their times in milliseconds. */
let calls: (Call & { readonly at: number })[]
/** Returns the response of API Gateway to a call: an empty one, unless a test replaces this function. */
let respond: (call: Call) => object
let gateway: GatewayKeyClient
beforeEach(() => {
  calls = []
  respond = () => ({})
  const { clock, advanceSeconds } = createSettableClock(0)
  const client = new APIGatewayClient({ region: 'eu-central-1' })
  const environment = { name: 'staging', unlimitedKey: 'unlimited', usagePlanIds }
  const pause = async (milliseconds: number): Promise<void> => advanceSeconds(milliseconds / 1_000)
  gateway = createGatewayKeyClient(client, environment, pause)
  // The client has added its pause before, so each call is recorded after the pause.
  client.middlewareStack.add((_next, context) => async (request) => {
    const operation = String(context['commandName']).replace('Command', '')
    const input = { ...request.input }
    calls.push({ operation, input, at: clock() })
    // Each operation has an output type of its own. The cast passes the output of the test for any of them.
    return { response: undefined, output: respond({ operation, input }) as never }
  })
})

/** Responds to GetApiKeys with the first page, or with the second page if the call asks for that. */
const respondWithPages = (first: readonly object[], second: readonly object[], { position }: Call['input']): object =>
  position === undefined ? { items: first, position: 'second page' } : { items: second }

it('listing gateway keys reads all pages, and then the members of each usage plan', async () => {
  respond = ({ operation, input }) => (operation === 'GetApiKeys' ? respondWithPages([], [], input) : {})

  await gateway.list()

  const keysInput = { nameQuery: 'pet-adoption-staging-', includeValues: true, limit: 500 }
  expect(calls).toMatchObject([
    { operation: 'GetApiKeys', input: keysInput },
    { operation: 'GetApiKeys', input: { ...keysInput, position: 'second page' } },
    ...planNames.map((plan) => ({
      operation: 'GetUsagePlanKeys',
      input: { usagePlanId: `id of ${plan}`, limit: 500 },
    })),
  ])
})

it('the list of gateway keys has each key of the environment, with the plan of its usage plan', async () => {
  const key = { name: 'pet-adoption-staging-key_1', tags: { environment: 'staging' } }
  const keyWithoutPlan = { ...key, id: '0', value: 'value 0' }
  const keyOfPro = { ...key, id: '1', value: 'value 1' }
  respond = ({ operation, input }) => {
    if (operation === 'GetApiKeys') return respondWithPages([keyWithoutPlan], [keyOfPro], input)
    return input['usagePlanId'] === 'id of pro' ? { items: [{ id: '1' }] } : { items: [] }
  }

  const { gatewayKeys } = await gateway.list()

  expect(gatewayKeys).toEqual([
    { id: '0', value: 'value 0', plan: undefined },
    { id: '1', value: 'value 1', plan: 'pro' },
  ])
})

it.each([
  {
    key: 'a key with the tag of another environment',
    item: { name: 'pet-adoption-staging-key_1', tags: { environment: 'production' } },
  },
  {
    key: 'a key without tags',
    item: { name: 'pet-adoption-staging-key_1' },
  },
  {
    key: 'a key without a name',
    item: { tags: { environment: 'staging' } },
  },
  {
    key: 'the unlimited gateway key',
    item: { name: 'pet-adoption-staging-api-unlimited', tags: { environment: 'staging' } },
  },
])('the list of gateway keys leaves out $key', async ({ item }) => {
  respond = ({ operation }) => (operation === 'GetApiKeys' ? { items: [{ id: '0', value: 'value 0', ...item }] } : {})

  expect((await gateway.list()).gatewayKeys).toEqual([])
})

it.each([
  { state: 'there and enabled', items: [{ value: 'unlimited', enabled: true }], isUnlimitedKeyUsable: true },
  { state: 'disabled', items: [{ value: 'unlimited', enabled: false }], isUnlimitedKeyUsable: false },
  { state: 'missing', items: [{ value: 'another', enabled: true }], isUnlimitedKeyUsable: false },
])(
  'the list of gateway keys tells that the unlimited gateway key is $state',
  async ({ items, isUnlimitedKeyUsable }) => {
    respond = ({ operation }) => (operation === 'GetApiKeys' ? { items } : {})

    expect(await gateway.list()).toMatchObject({ isUnlimitedKeyUsable })
  },
)

it('creating a gateway key makes the key that a record names, and adds it to its usage plan', async () => {
  const record = createApiKeyRecord({ plan: 'pro' })
  respond = () => ({ id: 'created' })

  await gateway.create(record)

  expect(calls).toMatchObject([
    {
      operation: 'CreateApiKey',
      input: {
        name: `pet-adoption-staging-${record.keyId}`,
        value: record.gatewayKey,
        tags: { environment: 'staging', keyId: record.keyId },
        enabled: true,
      },
    },
    {
      operation: 'CreateUsagePlanKey',
      input: { usagePlanId: 'id of pro', keyId: 'created', keyType: 'API_KEY' },
    },
  ])
})

it('removing a gateway key deletes the key with its id', async () => {
  await gateway.remove('0')

  expect(calls).toMatchObject([{ operation: 'DeleteApiKey', input: { apiKey: '0' } }])
})

it('removing a gateway key that another run has deleted does nothing', async () => {
  respond = () => {
    throw new NotFoundException({ message: 'Invalid API Key identifier specified', $metadata: {} })
  }

  await expect(gateway.remove('0')).resolves.toBeUndefined()
})

it('each call to API Gateway is a quarter of a second after the one before', async () => {
  await gateway.list()
  await gateway.create(createApiKeyRecord())
  await gateway.remove('0')

  // The list makes a call for the keys and one for each plan, the creation makes two, and the removal one.
  expect(calls).toHaveLength(1 + planNames.length + 2 + 1)
  for (const [index, { at }] of calls.entries()) expect(at).toBe((index + 1) * 250)
})
