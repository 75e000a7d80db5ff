import fc from 'fast-check'
import { beforeEach, expect, it, vi } from 'vitest'
import { hashApiKey, type KeyHash } from '../../../../shared/api-keys/api-key.ts'
import { createGatewayKeyValue, type KeyId } from '../../../../shared/api-keys/api-key-record.ts'
import type { Plan } from '../../../../shared/api-keys/plans.ts'
import { Turns } from '../../../fixtures/database/turns.ts'
import { chooseBySize } from '../../../fixtures/machine/size.ts'
import { testTime } from '../../../fixtures/service/clock.ts'
import { type Fate, GatewayKeysWorld } from './gateway-keys-world.ts'

/** Number of random histories that the property is tried on. */
const numRuns = chooseBySize(3_000, 30_000, 100_000)

const testTimeSeconds = testTime / 1_000

/** Limits that every fixed plan exceeds. */
const limitsBelowPlans = { minuteLimit: 10, dayLimit: 100 }

/** Limits that exceed every fixed plan. */
const limitsAbovePlans = { minuteLimit: 30_000, dayLimit: 1_000_000 }

/**
 * A change to the keys, to API Gateway or to the time. It happens before the runs of the function that are tested, or
 * between two of their calls.
 *
 * An orphan is a gateway key that no record names. The change `none` takes a gateway key out of its usage plan.
 */
type Happening =
  | { readonly kind: 'issue a key' | 'issue a key of two hours' | 'revoke a key' | 'renew a key for two hours' }
  | { readonly kind: 'move a key'; readonly plan: Plan }
  | { readonly kind: 'give a key older limits' | 'renew the limits of a key' }
  | { readonly kind: 'change a gateway key by hand'; readonly change: Plan | 'none' | 'deleted' }
  | { readonly kind: 'add an orphan'; readonly plan: Plan | undefined }
  | { readonly kind: 'let time pass'; readonly seconds: number }

const happenings: readonly Happening[] = [
  { kind: 'issue a key' },
  { kind: 'issue a key of two hours' },
  { kind: 'revoke a key' },
  { kind: 'renew a key for two hours' },
  { kind: 'move a key', plan: 'pro' },
  { kind: 'move a key', plan: 'free' },
  { kind: 'give a key older limits' },
  { kind: 'renew the limits of a key' },
  { kind: 'change a gateway key by hand', change: 'deleted' },
  { kind: 'change a gateway key by hand', change: 'none' },
  { kind: 'change a gateway key by hand', change: 'enterprise' },
  { kind: 'add an orphan', plan: 'free' },
  { kind: 'add an orphan', plan: undefined },
  { kind: 'let time pass', seconds: 60 },
  { kind: 'let time pass', seconds: 900 },
  // Ten seconds before a key of two hours ends.
  { kind: 'let time pass', seconds: 7_190 },
]

/** What happens, and the number of the key that it changes. */
interface Event {
  readonly happening: Happening
  readonly keyNumber: number
}

const anyEvent: fc.Arbitrary<Event> = fc.record({
  happening: fc.constantFrom(...happenings),
  keyNumber: fc.nat(9),
})

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

/** Finds a key that was issued. Numbers beyond the last key start again at the first. */
const findKeyHash = (keyNumber: number): KeyHash => {
  const keyHashes = [...world.records.keys()]
  const index = keyHashes.length === 0 ? 0 : keyNumber % keyHashes.length
  // If no key was issued, the hash is that of an unknown key.
  return keyHashes[index] ?? hashApiKey('unknown')
}

const letHappen = ({ happening, keyNumber }: Event): void => {
  const keyHash = findKeyHash(keyNumber)
  switch (happening.kind) {
    case 'issue a key':
      world.issue()
      break
    case 'issue a key of two hours':
      world.issue({ expiresAt: Math.floor(world.time.clock() / 1_000) + 7_200, plan: 'business' })
      break
    case 'revoke a key':
      world.write(keyHash, { state: 'revoked' })
      break
    case 'renew a key for two hours':
      // `keys set --expires` writes the same, also for a key that has ended.
      world.write(keyHash, {
        expiresAt: Math.floor(world.time.clock() / 1_000) + 7_200,
        gatewayKey: createGatewayKeyValue(),
        meteredFrom: undefined,
      })
      break
    case 'move a key':
      // `keys set --plan` writes the same.
      world.write(keyHash, { plan: happening.plan, gatewayKey: createGatewayKeyValue(), meteredFrom: undefined })
      break
    // Older limits stand for a plan that is lowered, and renewed ones for a plan that is raised. No write of the table
    // shows either.
    case 'give a key older limits':
      world.write(keyHash, limitsAbovePlans)
      break
    case 'renew the limits of a key':
      world.write(keyHash, limitsBelowPlans)
      break
    case 'change a gateway key by hand':
      world.tamper(keyHash, happening.change)
      break
    case 'add an orphan':
      world.gatewayKeys.put(createGatewayKeyValue(), happening.plan)
      break
    case 'let time pass':
      world.advance(happening.seconds)
      break
  }
}

/**
 * Fate of one call to API Gateway or to the table. `done` stands twice, so that it is the most frequent. In the fate
 * `fails when done`, the call takes effect, but its response is an error.
 */
const anyFate = fc.constantFrom<Fate[]>('done', 'done', 'fails', 'fails when done', 'cut off')

/** Fates of a run whose calls are all done. */
const allDone: readonly Fate[] = []

/** Runs the function a number of times, every 15 minutes. */
const runRepeatedly = async (count: number): Promise<void> => {
  for (let run = 0; run < count; run += 1) {
    await world.run()
    world.advance(900)
  }
}

// `expectAgreement` names the invariants. One of them is that no customer's request was refused at any time.
it('two undisturbed runs make API Gateway agree with the table after any events', async () => {
  const property = fc.asyncProperty(
    fc.scheduler(),
    fc.array(anyEvent, { maxLength: 20 }),
    // The fates of the calls of one to three runs that happen at the same time.
    fc.array(fc.array(anyFate, { maxLength: 12 }), { minLength: 1, maxLength: 3 }),
    fc.array(anyEvent, { maxLength: 12 }),
    async (scheduler, earlierEvents, fatesOfRuns, concurrentEvents) => {
      world = new GatewayKeysWorld()
      for (const [index, event] of earlierEvents.entries()) {
        letHappen(event)
        // After every fifth event, the function runs 4, 9, 14 or 19 times. In 4 runs an hour passes, after which new
        // keys are metered. In 9 runs more than two hours pass, after which keys of two hours have ended.
        if (index % 5 === 4) await runRepeatedly(index)
      }

      const turns = new Turns(scheduler)
      const waitForTurn = (call: string) => turns.waitForTurn(call)
      const runs = fatesOfRuns.map((fates) => () => world.run(fates, waitForTurn))
      const operators = async () => {
        for (const event of concurrentEvents) {
          await waitForTurn('operator')
          letHappen(event)
        }
      }
      await turns.run([operators, ...runs])

      // Keys of two hours have ended.
      world.advance(4 * 3_600)
      // The first run finds what was changed by hand or cut off, and the second run makes it anew.
      await runRepeatedly(2)
      world.expectAgreement()

      // Further runs keep the agreement.
      await runRepeatedly(5)
      world.expectAgreement()
    },
  )

  await fc.assert(property, { numRuns, endOnFailure: true })
}, 300_000)

it('a key is metered on its API Gateway key an hour after the run that created it', async () => {
  const keyHash = world.issue({ plan: 'pro', expiresAt: testTimeSeconds + 7_200 })

  await world.run()

  expect(world.records.get(keyHash)?.meteredFrom).toBe(testTimeSeconds + 3_600)
})

it('a key loses its API Gateway key in two runs after its plan was lowered below its limits', async () => {
  // The limits are raised in place of lowering the plan, which is constant.
  const keyHash = world.issue({ plan: 'pro', dayLimit: 10_000 })
  await world.run()
  world.write(keyHash, { dayLimit: 10_001 })

  await world.run()
  expect(world.records.get(keyHash)?.meteredFrom).toBeUndefined()
  await world.run()

  expect(world.gatewayKeys.size).toBe(0)
  world.expectAgreement()
})

// An hour later the deployment that raises the plan has ended.
it('a key is metered again an hour after the run that found its plan raised to its limits', async () => {
  const keyHash = world.issue({ plan: 'pro', dayLimit: 10_001 })
  await world.run()
  world.write(keyHash, { dayLimit: 10_000 })

  await world.run()

  expect(world.records.get(keyHash)?.meteredFrom).toBe(testTimeSeconds + 3_600)
})

/** Runs the function on two new keys and an orphan. Deleting the orphan fails, and so does creating the first key. */
const runWithFailures = async (): Promise<unknown> => {
  world.issue({ keyId: 'key_1' as KeyId })
  world.issue({ keyId: 'key_2' as KeyId })
  world.gatewayKeys.put('orphan', undefined)

  // The first two calls list the gateway keys and the records.
  return world.run(['done', 'done', 'fails', 'fails'])
}

it('a run logs each step that fails', async () => {
  await runWithFailures()

  // In the world, the gateway key with the value `orphan` has the id `id of orphan`.
  expect(logged).toEqual(['The step "remove" of id of orphan failed.', 'The step "create" of key_1 failed.'])
})

it('a run with a failed step fails, so that Lambda counts an error', async () => {
  expect(await runWithFailures()).toEqual(new Error('2 steps failed. The next run repeats them.'))
})

it('a run fails after its last step if the unlimited gateway key is missing', async () => {
  world.issue()
  world.isUnlimitedKeyUsable = false

  expect(await world.run()).toMatchObject({ message: expect.stringContaining('infra/RUNBOOK.md') })
  world.expectAgreement()
})

it('a run makes the steps that follow a failed step', async () => {
  await runWithFailures()

  // The orphan is left, and the second key is created.
  expect(world.gatewayKeys.size).toBe(2)
})

it('a run stops at the first key for which the account has no room', async () => {
  world.gatewayKeys.capacity = 5
  for (let issued = 0; issued < 7; issued += 1) world.issue()

  await world.run()

  expect(world.gatewayKeys.size).toBe(5)
  expect(logged).toHaveLength(1)
})

it('a run creates the missing keys when a full account has room again', async () => {
  world.gatewayKeys.capacity = 5
  const keyHashes = Array.from({ length: 7 }, () => world.issue())
  await world.run()
  for (const keyHash of keyHashes.slice(0, 2)) world.write(keyHash, { state: 'revoked' })

  await world.run()

  world.expectAgreement()
})

/**
 * Runs the function, whose time is 600 seconds, with calls that take some. Its two lists and the three calls for the
 * first key take five times as long.
 */
const runSlowly = (secondsPerCall: number): Promise<unknown> =>
  world.run(allDone, async () => world.advance(secondsPerCall))

it('a run begins a step when a minute of its time is left', async () => {
  for (let issued = 0; issued < 3; issued += 1) world.issue()

  await runSlowly(108)

  expect(world.gatewayKeys.size).toBe(2)
})

it('a run begins no step when less than a minute of its time is left', async () => {
  for (let issued = 0; issued < 3; issued += 1) world.issue()

  await runSlowly(109)

  expect(world.gatewayKeys.size).toBe(1)
})

it('a run continues where the run before it stopped for lack of time', async () => {
  for (let issued = 0; issued < 3; issued += 1) world.issue()
  await runSlowly(108)

  await world.run()

  world.expectAgreement()
})
