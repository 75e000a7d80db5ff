import { APIGatewayClient } from '@aws-sdk/client-api-gateway'
import fc from 'fast-check'
import { beforeEach, expect, it, vi } from 'vitest'
import { createGatewayKeyClient } from '../../../../functions/gateway-keys/api-gateway.ts'
import { hashApiKey, type KeyHash } from '../../../../shared/api-keys/api-key.ts'
import { createGatewayKeyValue, type KeyId } from '../../../../shared/api-keys/api-key-record.ts'
import { type Plan, planNames } from '../../../../shared/api-keys/plans.ts'
import { createApiKeyRecord } from '../../../fixtures/api-key-record.ts'
import { createSettableClock, noon } from '../../../fixtures/clock.ts'
import { type Fate, World } from '../../../fixtures/gateway-keys-world.ts'
import { chooseBySize } from '../../../fixtures/size.ts'
import { Turns } from '../../../fixtures/turns.ts'

/** `PET_GATEWAY_KEYS=100000` tries more worlds. */
const numRuns = Number(process.env['PET_GATEWAY_KEYS'] ?? chooseBySize(3_000, 30_000))

const now = noon / 1_000

/** What the command `move` writes. */
const moveTo = (plan: Plan) => (world: World, keyHash: KeyHash) =>
  world.write(keyHash, { plan, gatewayKey: createGatewayKeyValue(), meteredFrom: undefined })

/** What happens between two runs or calls of the function, or to begin with, to one of the keys. */
const acts: readonly ((world: World, keyHash: KeyHash) => unknown)[] = [
  (world) => world.issue(),
  (world) => world.issue({ expiresAt: Math.floor(world.time.clock() / 1_000) + 7_200, plan: 'business' }),
  ...[moveTo('pro'), moveTo('free')],
  (world, keyHash) => world.write(keyHash, { state: 'revoked' }),
  ...(['deleted', 'none', 'enterprise'] as const).map(
    (change) => (world: World, keyHash: KeyHash) => world.tamper(keyHash, change),
  ),
  // An orphan, in a plan and in none.
  (world) => world.keep(createGatewayKeyValue(), 'free'),
  (world) => world.keep(createGatewayKeyValue()),
  ...[60, 900, 7_190].map((seconds) => (world: World) => world.advance(seconds)),
]

const act = fc.tuple(fc.constantFrom(...acts), fc.nat(9)).map(([perform, of]) => (world: World) => {
  const keyHashes = [...world.records.keys()]
  perform(world, keyHashes[of % Math.max(1, keyHashes.length)] ?? hashApiKey('none'))
})

const fate = fc.constantFrom<Fate>('done', 'done', 'fails', 'fails when done', 'cut off')

const runs = async (world: World, count: number): Promise<void> => {
  for (let run = 0; run < count; run += 1) {
    await world.run()
    world.advance(900)
  }
}

let world: World
/** What the function reports. */
let reports: unknown[]
beforeEach(() => {
  world = new World()
  reports = []
  vi.spyOn(console, 'error').mockImplementation((text) => void reports.push(text))
})

it('leads to agreement from whatever there is and happens, and refuses no request on the way', async () => {
  const property = fc.asyncProperty(
    fc.scheduler(),
    fc.array(act, { maxLength: 20 }),
    // Of runs that happen at the same time: late ones, doubled ones, or one.
    fc.array(fc.array(fate, { maxLength: 12 }), { minLength: 1, maxLength: 3 }),
    fc.array(act, { maxLength: 12 }),
    async (scheduler, before, fatesOfRuns, meanwhile) => {
      world = new World()
      for (const [index, perform] of before.entries()) {
        perform(world)
        if (index % 5 === 4) await runs(world, index)
      }
      const turns = new Turns(scheduler)
      const turn = (label: string) => turns.waitForTurn(label)
      const operators = async () => {
        for (const perform of meanwhile) {
          await turn('operator')
          perform(world)
        }
      }
      await turns.run([operators, ...fatesOfRuns.map((fates) => () => world.run(fates, turn))])
      // Keys with an end have ended.
      world.advance(4 * 3_600)
      // One finds what was changed by hand or cut off, one makes it anew, and the others change nothing.
      await runs(world, 2)
      world.expectAgreement()
      await runs(world, 5)
      world.expectAgreement()
    },
  )
  await fc.assert(property, { numRuns, endOnFailure: true })
}, 300_000)

it('gives a key its API Gateway key in one run, also one that will end, and meters on it an hour later', async () => {
  const keyHash = world.issue({ plan: 'pro', expiresAt: now + 7_200 })
  await world.run()
  world.expectAgreement()
  expect(world.records.get(keyHash)?.meteredFrom).toBe(now + 3_600)
})

it('reports a step that fails, and goes on', async () => {
  for (const keyId of ['key_1', 'key_2']) world.issue({ keyId: keyId as KeyId })
  world.keep('orphan')
  await world.run(['done', 'done', 'fails', 'fails'])
  expect(reports).toEqual(['The step "remove" of id of orphan failed.', 'The step "create" of key_1 failed.'])
  expect(world.kept.size).toBe(2)
})

it('stops where the account is full, reports that once, and goes on when there is room', async () => {
  world.room = 5
  const keyHashes = Array.from({ length: 7 }, () => world.issue())
  await world.run()
  expect([world.kept.size, reports.length]).toEqual([5, 1])
  for (const keyHash of keyHashes.slice(0, 2)) world.write(keyHash, { state: 'revoked' })
  await world.run()
  world.expectAgreement()
})

it('stops where less than a minute is left, and goes on next time', async () => {
  for (let issued = 0; issued < 3; issued += 1) world.issue()
  // After four calls, which give one key, a minute of ten is left.
  await world.run([], async () => world.advance(135))
  expect(world.kept.size).toBe(2)
  await world.run()
  world.expectAgreement()
})

it('makes four calls a second, for no key but those with the name and the tag of the environment', async () => {
  const tags = { environment: 'staging' }
  const named = { name: 'pet-adoption-staging-key_1', tags }
  const others = [{ tags: { environment: 'production' } }, { tags: undefined }, { name: undefined }]
  const items = [{}, {}, ...others, { name: 'pet-adoption-staging-api-reserved' }].map((change, index) => {
    return { id: `${index}`, value: `value ${index}`, ...named, ...change }
  })
  const record = createApiKeyRecord({ plan: 'pro' })
  // Every plan is in the list.
  const ids = Object.fromEntries(planNames.map((plan) => [plan, `id of ${plan}`])) as Record<Plan, string>
  const made = { name: `pet-adoption-staging-${record.keyId}`, value: record.gatewayKey, enabled: true }
  const list = { nameQuery: 'pet-adoption-staging-', includeValues: true, limit: 500 }
  const expected: readonly (readonly [call: string, input: object, output: object])[] = [
    ['GetApiKeys', list, { items: items.slice(0, 1), position: 'x' }],
    ['GetApiKeys', { ...list, position: 'x' }, { items: items.slice(1) }],
    ...planNames.map((plan) => {
      const members = { items: plan === 'pro' ? [{ id: '1' }] : [] }
      return ['GetUsagePlanKeys', { usagePlanId: ids[plan], limit: 500 }, members] as const
    }),
    ['CreateApiKey', { ...made, tags: { ...tags, keyId: record.keyId } }, { id: 'created' }],
    ['CreateUsagePlanKey', { usagePlanId: 'id of pro', keyId: 'created', keyType: 'API_KEY' }, {}],
    ['DeleteApiKey', { apiKey: '0' }, {}],
  ]
  const calls: object[] = []
  const { clock, advance } = createSettableClock(0)
  const client = new APIGatewayClient({ region: 'eu-central-1' })
  const gateway = createGatewayKeyClient(client, 'staging', ids, async (milliseconds) => advance(milliseconds / 1_000))
  const respond =
    (_next: unknown, { commandName = '' }: { commandName?: string }) =>
    async ({ input }: { input: object }) => {
      const [, , output] = expected[calls.push([commandName.replace('Command', ''), input]) - 1] ?? []
      return { response: undefined, output: output as never }
    }
  client.middlewareStack.add(respond, { priority: 'low' })

  expect(await gateway.list()).toEqual([
    { id: '0', value: 'value 0', plan: undefined },
    { id: '1', value: 'value 1', plan: 'pro' },
  ])
  await gateway.create(record)
  await gateway.remove('0')
  expect(calls).toMatchObject(expected.map(([call, input]) => [call, input]))
  expect(clock()).toBe(calls.length * 250)
})
