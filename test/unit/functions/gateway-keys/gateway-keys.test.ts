import { APIGatewayClient } from '@aws-sdk/client-api-gateway'
import fc from 'fast-check'
import { beforeEach, expect, it, vi } from 'vitest'
import { apiGateway } from '../../../../functions/gateway-keys/api-gateway.ts'
import { steps } from '../../../../functions/gateway-keys/follow-table.ts'
import { hashApiKey, type KeyHash } from '../../../../shared/api-keys/api-key.ts'
import type { ApiKeyRecord, GatewayKeyValue, KeyId } from '../../../../shared/api-keys/api-key-record.ts'
import { newGatewayKeyValue } from '../../../../shared/api-keys/api-key-record.ts'
import { type Plan, planNames } from '../../../../shared/api-keys/plans.ts'
import { noon, settableClock } from '../../../fixtures/settable-clock.ts'
import { sized } from '../../../fixtures/size.ts'
import { Turns } from '../../../fixtures/turns.ts'
import { apiKeyRecord } from '../../shared/api-keys/records.ts'
import { World } from './world.ts'

/** `PET_GATEWAY_KEYS=100000` tries more worlds. */
const numRuns = Number(process.env['PET_GATEWAY_KEYS'] ?? sized(3_000, 30_000))

/** What happens between two runs or calls of the function, or to begin with. */
const acts = {
  issue: (world) => world.issue(),
  'issue for two hours': (world) =>
    world.issue({ expiresAt: Math.floor(world.time.clock() / 1_000) + 7_200, plan: 'business' }),
  'move to pro': (world, keyHash) => move(world, keyHash, 'pro'),
  'move to free': (world, keyHash) => move(world, keyHash, 'free'),
  revoke: (world, keyHash) => world.write(keyHash, { state: 'revoked' }),
  'delete by hand': (world, keyHash) => world.tamper(keyHash, 'delete'),
  'take out by hand': (world, keyHash) => world.tamper(keyHash, 'take out'),
  'put into another plan by hand': (world, keyHash) => world.tamper(keyHash, 'put into another plan'),
  orphan: (world) => world.keep(newGatewayKeyValue(), 'free'),
  'orphan in no plan': (world) => world.keep(newGatewayKeyValue()),
  minute: (world) => world.advance(60),
  quarter: (world) => world.advance(900),
  'almost two hours': (world) => world.advance(7_190),
} satisfies Readonly<Record<string, (world: World, keyHash: KeyHash) => unknown>>

/** What the command `move` writes. */
const move = (world: World, keyHash: KeyHash, plan: Plan) =>
  world.write(keyHash, { plan, gatewayKey: newGatewayKeyValue(), meteredFrom: undefined })

type Act = (world: World) => void

const act = fc.tuple(fc.constantFrom(...Object.values(acts)), fc.nat(9)).map(
  ([perform, of]): Act =>
    (world) => {
      const keyHashes = [...world.records.keys()]
      perform(world, keyHashes[of % Math.max(1, keyHashes.length)] ?? hashApiKey('none'))
    },
)

const runs = async (world: World, count: number): Promise<void> => {
  for (let run = 0; run < count; run += 1) {
    await world.run()
    world.advance(900)
  }
}

/** What the function reports. */
let reports: unknown[] = []
beforeEach(() => {
  reports = []
  vi.spyOn(console, 'error').mockImplementation((text) => void reports.push(text))
})

it('leads to agreement from whatever there is and happens, and refuses no request on the way', async () => {
  const fate = fc.constantFrom(
    'done' as const,
    'done' as const,
    'fails' as const,
    'fails when done' as const,
    'cut off' as const,
  )
  const property = fc.asyncProperty(
    fc.scheduler(),
    fc.array(act, { maxLength: 20 }),
    // Of runs that happen at the same time: late ones, doubled ones, or one.
    fc.array(fc.array(fate, { maxLength: 12 }), { minLength: 1, maxLength: 3 }),
    fc.array(act, { maxLength: 12 }),
    async (scheduler, before, fatesOfRuns, meanwhile) => {
      const world = new World()
      for (const [index, perform] of before.entries()) {
        perform(world)
        if (index % 5 === 4) await runs(world, index)
      }
      const turns = new Turns(scheduler)
      const operators = async () => {
        for (const perform of meanwhile) {
          await turns.next('operator')
          perform(world)
        }
      }
      const run = (fates: (typeof fatesOfRuns)[number]) => () =>
        world.run({ fates, turn: (label) => turns.next(label) })
      await turns.run([operators, ...fatesOfRuns.map(run)])
      // Keys with an end have ended.
      world.advance(4 * 3_600)
      // One finds what was changed by hand or cut off, one makes it anew.
      await runs(world, 2)
      world.expectAgreement()
      await runs(world, 5)
      world.expectAgreement()
    },
  )
  await fc.assert(property, { numRuns, endOnFailure: true })
}, 300_000)

it('lets records ask for other keys first, then deletes keys, and creates keys last', () => {
  const now = noon / 1_000
  const stored = (name: string, change: Partial<ApiKeyRecord> = { meteredFrom: now }) => {
    // A value that nothing has drawn.
    const gatewayKey = name as GatewayKeyValue
    return { keyHash: hashApiKey(name), record: apiKeyRecord({ gatewayKey, ...change }) }
  }
  const records = [
    ...[stored('new', {}), stored('right'), stored('gone'), stored('in no plan'), stored('in a wrong plan')],
    ...[stored('of a run that was cut off', {}), stored('ending', { meteredFrom: now, expiresAt: now - 59 })],
    ...[stored('ended', { expiresAt: now - 60 }), stored('revoked', { state: 'revoked' })],
  ]
  const plans = { 'in no plan': undefined, 'in a wrong plan': 'pro' } as const
  const present = ['orphan', ...records.map(({ record }) => record.gatewayKey)].filter((name) => !/new|gone/.test(name))
  const gatewayKeys = present.map((value) => ({
    id: value,
    value,
    plan: 'free' as const,
    ...(value in plans && { plan: Reflect.get(plans, value) }),
  }))
  const names = steps(records, gatewayKeys, now).map((step) =>
    step.kind === 'remove' ? `remove ${step.gatewayKey.value}` : `${step.kind} ${step.stored.record.gatewayKey}`,
  )
  expect(names).toEqual([
    ...['renew gone', 'renew in no plan', 'renew in a wrong plan', 'renew of a run that was cut off'],
    ...['remove orphan', 'remove ended', 'remove revoked', 'create new'],
  ])
})

it('gives a key its API Gateway key in one run, also one that will end, and meters on it an hour later', async () => {
  const world = new World()
  const keyHash = world.issue({ plan: 'pro', expiresAt: noon / 1_000 + 7_200 })
  await world.run()
  world.expectAgreement()
  expect(world.records.get(keyHash)?.meteredFrom).toBe(noon / 1_000 + 3_600)
})

it('reports a step that fails, and goes on', async () => {
  const world = new World()
  for (const keyId of ['key_1', 'key_2']) world.issue({ keyId: keyId as KeyId })
  await world.run({ fates: ['done', 'done', 'fails'] })
  expect([world.kept.size, reports]).toEqual([1, ['The step "create" of key_1 failed.']])
})

it('stops where the account is full, reports that once, and goes on when there is room', async () => {
  const world = new World()
  world.room = 5
  const keyHashes = Array.from({ length: 7 }, () => world.issue())
  await world.run()
  expect([world.kept.size, reports]).toEqual([5, [expect.stringMatching(/^The step "create" of key_\w+ failed\.$/)]])
  for (const keyHash of keyHashes.slice(0, 2)) world.write(keyHash, { state: 'revoked' })
  await world.run()
  world.expectAgreement()
})

it('stops where less than a minute is left, and goes on next time', async () => {
  const world = new World()
  for (let issued = 0; issued < 3; issued += 1) world.issue()
  // A minute is left after five calls of ten minutes, when one key is given.
  await world.run({ turn: async () => world.advance(108) })
  expect(world.kept.size).toBe(2)
  await world.run()
  world.expectAgreement()
})

it('makes four calls a second, for no key but those with the name and the tag of the environment', async () => {
  const tags = { environment: 'staging' }
  const ours = { name: 'pet-adoption-staging-key_1', tags }
  const pages: Readonly<Record<string, object>> = {
    first: { items: [{ ...ours, id: 'a', value: 'A' }], position: 'second' },
    second: {
      items: [
        { ...ours, id: 'b', value: 'B' },
        { ...ours, id: 'c', value: 'C', tags: { environment: 'production' } },
        { ...ours, id: 'd', value: 'D', tags: undefined },
        { ...ours, id: 'e', value: 'E', name: 'pet-adoption-staging-api-reserved' },
        { id: 'f', value: 'F', tags },
      ],
    },
  }
  const answers: Readonly<Record<string, (input: object) => unknown>> = {
    GetApiKeysCommand: (input) => pages[Reflect.get(input, 'position') ?? 'first'],
    GetUsagePlanKeysCommand: (input) =>
      Reflect.get(input, 'usagePlanId') === 'id of pro' ? { items: [{ id: 'b' }] } : {},
    CreateApiKeyCommand: () => ({ id: 'g' }),
  }
  const { clock, advance } = settableClock(0)
  const calls: unknown[] = []
  // Every plan is in the list.
  const ids = Object.fromEntries(planNames.map((plan) => [plan, `id of ${plan}`])) as Record<Plan, string>
  const client = new APIGatewayClient({ region: 'eu-central-1' })
  const gateway = apiGateway(client, 'staging', ids, async (milliseconds) => advance(milliseconds / 1_000))
  client.middlewareStack.add(
    (_next, { commandName = '' }) =>
      async ({ input }) => {
        calls.push([clock(), commandName, input])
        return { response: undefined, output: (answers[commandName]?.(input) ?? {}) as never }
      },
    { priority: 'low' },
  )
  expect(await gateway.list()).toEqual([
    { id: 'a', value: 'A', plan: undefined },
    { id: 'b', value: 'B', plan: 'pro' },
  ])
  const { keyId, gatewayKey: value, ...record } = apiKeyRecord({ plan: 'pro' })
  await gateway.create({ keyId, gatewayKey: value, ...record })
  await gateway.remove('a')
  const listed = { nameQuery: 'pet-adoption-staging-', includeValues: true, limit: 500 }
  const created = { name: `pet-adoption-staging-${keyId}`, value, tags: { ...tags, keyId }, enabled: true }
  expect(calls).toMatchObject([
    [250, 'GetApiKeysCommand', listed],
    [500, 'GetApiKeysCommand', { ...listed, position: 'second' }],
    ...planNames.map((plan, index) => [
      750 + index * 250,
      'GetUsagePlanKeysCommand',
      { usagePlanId: ids[plan], limit: 500 },
    ]),
    [1_750, 'CreateApiKeyCommand', created],
    [2_000, 'CreateUsagePlanKeyCommand', { usagePlanId: 'id of pro', keyId: 'g', keyType: 'API_KEY' }],
    [2_250, 'DeleteApiKeyCommand', { apiKey: 'a' }],
  ])
})
