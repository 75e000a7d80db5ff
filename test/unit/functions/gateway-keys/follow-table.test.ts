import { beforeEach, expect, it, vi } from 'vitest'
import type { KeyHash } from '../../../../shared/api-keys/api-key.ts'
import { createGatewayKeyValue, type KeyId } from '../../../../shared/api-keys/api-key-record.ts'
import type { Plan } from '../../../../shared/api-keys/plans.ts'
import { testTime } from '../../../fixtures/service/clock.ts'
import { type Fate, GatewayKeysWorld } from './gateway-keys-world.ts'

const testTimeSeconds = testTime / 1_000

/**
 * The time after which a new gateway key, an API key of API Gateway, meters requests. Tests let it pass in one step; by
 * its schedule the function runs every 15 minutes.
 */
const hourSeconds = 3_600

/** A table of keys and an API Gateway. Its `expectAgreement` also expects that no customer was refused so far. */
let world: GatewayKeysWorld
/** The lines that the function logs. */
let logged: unknown[]
beforeEach(() => {
  world = new GatewayKeysWorld()
  logged = []
  vi.spyOn(console, 'error').mockImplementation((text) => {
    logged.push(text)
  })
})

/** Moves a key to another plan, as `keys set --plan` does. */
const move = (keyHash: KeyHash, plan: Plan): void => {
  world.change(keyHash, { plan, gatewayKey: createGatewayKeyValue(), meteredFrom: undefined })
}

const listGatewayKeys = (): readonly string[] => [...world.gatewayKeys.keys()].toSorted()

/** Issues a key, whose requests are then metered on its gateway key. */
const issueMeteredKey = async (): Promise<KeyHash> => {
  const keyHash = world.issue({ plan: 'pro' })
  await world.run()
  world.advanceSeconds(hourSeconds)
  return keyHash
}

it('a key is metered on its API Gateway key an hour after the run that created the API Gateway key', async () => {
  const keyHash = world.issue({ plan: 'pro' })

  await world.run()

  expect(world.find(keyHash).meteredFrom).toBe(testTimeSeconds + 3_600)
  world.expectAgreement()
})

// A request that was authorized just before the run may still be metered on the key, so the run waits before it deletes
// the key. `expectAgreement` would show a refusal of such a request.
it('a revoked key loses its API Gateway key in the next run', async () => {
  const keyHash = await issueMeteredKey()
  world.change(keyHash, { state: 'revoked' })

  await world.run()

  expect(listGatewayKeys()).toEqual([])
  world.expectAgreement()
})

it.each(['expiresAt', 'overlapEndsAt'])(
  'a key keeps its API Gateway key until a minute after its %s, for authorizers whose clocks are behind',
  async (end) => {
    const keyHash = await issueMeteredKey()
    world.change(keyHash, { [end]: world.time.clock() / 1_000 })

    world.advanceSeconds(59)
    await world.run()
    expect(world.gatewayKeys.size).toBe(1)
    world.advanceSeconds(1)
    await world.run()

    expect(world.gatewayKeys.size).toBe(0)
    world.expectAgreement()
  },
)

it.each<{ readonly damage: string; readonly makeDamage: (gatewayKey: string) => void }>([
  { damage: 'deleted', makeDamage: (gatewayKey) => world.gatewayKeys.delete(gatewayKey) },
  { damage: 'taken out of its usage plan', makeDamage: (gatewayKey) => world.place(gatewayKey, undefined) },
  { damage: 'moved to another usage plan', makeDamage: (gatewayKey) => world.place(gatewayKey, 'enterprise') },
])('a key whose API Gateway key was $damage by hand gets another one in two runs', async ({ makeDamage }) => {
  const keyHash = await issueMeteredKey()
  const { gatewayKey } = world.find(keyHash)
  makeDamage(gatewayKey)

  await world.run()
  expect(world.find(keyHash).meteredFrom).toBeUndefined()
  await world.run()

  const renewed = world.find(keyHash)
  expect(renewed.gatewayKey).not.toBe(gatewayKey)
  expect(renewed.meteredFrom).toBeGreaterThanOrEqual(world.time.clock() / 1_000 + 3_600)
  expect([...world.gatewayKeys]).toMatchObject([[renewed.gatewayKey, { plan: 'pro' }]])
})

// A deployment changes the authorizer, which knows the plans, before the usage plan. An hour later it has ended.
it('a key whose plan was raised to the limits of the key is metered an hour after the next run', async () => {
  // The plan pro has 10,000 requests a day. It is constant, so the limits of the key are changed in its place.
  const keyHash = world.issue({ plan: 'pro', dayLimit: 10_001 })
  await world.run()
  world.change(keyHash, { dayLimit: 10_000 })

  await world.run()

  expect(world.find(keyHash).meteredFrom).toBe(testTimeSeconds + 3_600)
})

/**
 * Prepares a run that makes each kind of step: a key is new, one was revoked, one was moved, the plan of one was
 * lowered below its limits (pro has 10,000 requests a day), and a gateway key is named by no record.
 */
const prepareEachStep = async (): Promise<readonly KeyHash[]> => {
  world = new GatewayKeysWorld()
  const revoked = world.issue({ plan: 'pro' })
  const moved = world.issue({ plan: 'pro' })
  const lowered = world.issue({ plan: 'pro' })
  await world.run()
  world.advanceSeconds(hourSeconds)

  world.change(revoked, { state: 'revoked' })
  move(moved, 'business')
  world.change(lowered, { dayLimit: 10_001 })
  world.place('orphan', 'free')
  return [world.issue(), moved, lowered]
}

it.each<{ readonly event: string; readonly act: (keys: readonly KeyHash[]) => Promise<Fate | undefined> }>([
  { event: 'a call fails', act: async () => 'fails' },
  { event: 'a call loses its response', act: async () => 'loses its response' },
  { event: 'a run reaches its timeout', act: async () => 'is cut off' },
  {
    event: 'keys are revoked during a run',
    act: async (keys) => {
      for (const keyHash of keys) world.change(keyHash, { state: 'revoked' })
      return undefined
    },
  },
  {
    event: 'keys are moved during a run',
    act: async (keys) => {
      for (const keyHash of keys) move(keyHash, 'enterprise')
      return undefined
    },
  },
  {
    event: 'a key is issued during a run, and another run begins before the first one ends',
    act: async () => {
      world.issue()
      await world.run()
      return undefined
    },
  },
])('two runs make API Gateway agree with the table after $event, and no request is refused', async ({ act }) => {
  // The event happens at the first call of a run, then at the second one of another, until a run has no such call.
  let isReached = true
  for (let chosenCall = 1; isReached; chosenCall += 1) {
    const keys = await prepareEachStep()
    isReached = false

    await world.run(async (callNumber) => {
      if (callNumber !== chosenCall) return undefined
      isReached = true
      return act(keys)
    })
    for (let run = 0; run < 2; run += 1) {
      world.advanceSeconds(hourSeconds)
      expect(await world.run()).toBeUndefined()
    }

    world.expectAgreement()
    // Requests are metered on the new gateway keys now.
    world.advanceSeconds(hourSeconds)
    world.expectAgreement()
  }
})

/** Runs the function on two new keys and an orphan. Deleting the orphan fails, and so does creating the first key. */
const runWithFailures = async (): Promise<unknown> => {
  world.issue({ keyId: 'key_1' as KeyId })
  world.issue({ keyId: 'key_2' as KeyId })
  world.place('orphan', undefined)

  // The first two calls list the gateway keys and the records.
  return world.run(async (callNumber) => (callNumber === 3 || callNumber === 4 ? 'fails' : undefined))
}

it('a run logs each step that fails', async () => {
  await runWithFailures()

  // In the world, the gateway key with the value `orphan` has the id `id of orphan`.
  expect(logged).toEqual(['The step "remove" of id of orphan failed.', 'The step "create" of key_1 failed.'])
})

it('a run with failed steps makes the others, and then fails, so that Lambda counts an error', async () => {
  expect(await runWithFailures()).toEqual(new Error('2 steps failed. The next run repeats them.'))

  // The orphan is left, and the second key is created.
  expect(world.gatewayKeys.size).toBe(2)
})

// Requests of keys without a gateway key of their own are metered on the unlimited one.
it('a run fails after its last step if the unlimited gateway key is missing', async () => {
  world.issue()
  world.isUnlimitedKeyUsable = false

  expect(await world.run()).toMatchObject({ message: expect.stringContaining('infra/RUNBOOK.md') })
  world.expectAgreement()
})

it('a run stops at the first key for which the account has no room', async () => {
  world.capacity = 5
  for (let issued = 0; issued < 7; issued += 1) world.issue()

  await world.run()

  expect(world.gatewayKeys.size).toBe(5)
  expect(logged).toHaveLength(1)
})

/**
 * Runs the function with calls that take a time each. A run has 600 seconds. It makes five calls until the first key is
 * done: two lists, and for the key two calls to API Gateway and one to the table.
 */
const runSlowly = (secondsPerCall: number): Promise<unknown> =>
  world.run(async () => {
    world.advanceSeconds(secondsPerCall)
    return undefined
  })

it.each([
  { left: '70 seconds', secondsPerCall: 106, keysDone: 2 },
  { left: '65 seconds, which is too little for a step', secondsPerCall: 107, keysDone: 1 },
])(
  'a run that has $left left after its first key does $keysDone of three keys',
  async ({ secondsPerCall, keysDone }) => {
    for (let issued = 0; issued < 3; issued += 1) world.issue()

    await runSlowly(secondsPerCall)

    expect(world.gatewayKeys.size).toBe(keysDone)
  },
)

it.each([
  // A plan that only another version of the service knows.
  { attribute: 'plan', value: 'shelter' },
  { attribute: 'plan', value: undefined },
  { attribute: 'expiresAt', value: 'never' },
  { attribute: 'minuteLimit', value: 'many' },
])('a key whose $attribute is $value is logged and skipped, and other keys get their gateway keys', async (damage) => {
  const damaged = world.issue()
  const other = world.issue()
  const { keyId } = world.change(damaged, { [damage.attribute]: damage.value })

  await world.run()

  expect(logged).toEqual([`The API key ${keyId} cannot be read: its item has no valid ${damage.attribute}.`])
  expect(listGatewayKeys()).toEqual([world.find(other).gatewayKey])
})

it('a key with malformed attributes that the function does not need gets its gateway key', async () => {
  world.change(world.issue(), { owner: undefined, minuteCount: 'many', contact: 5 })

  await world.run()

  expect(logged).toEqual([])
  expect(world.gatewayKeys.size).toBe(1)
})

it('a key that is skipped because it cannot be read keeps its gateway key', async () => {
  const damaged = world.issue()
  await world.run()
  world.change(damaged, { plan: 'shelter' })

  await world.run()

  expect(listGatewayKeys()).toEqual([world.find(damaged).gatewayKey])
})

it('a revoked key that cannot be read loses its gateway key', async () => {
  const damaged = world.issue()
  await world.run()
  world.change(damaged, { plan: 'shelter', state: 'revoked' })

  await world.run()

  expect(logged).toEqual([])
  expect(world.gatewayKeys.size).toBe(0)
})
