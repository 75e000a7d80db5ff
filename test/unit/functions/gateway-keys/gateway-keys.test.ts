import fc from 'fast-check'
import { beforeEach, expect, it, vi } from 'vitest'
import { hashApiKey, type KeyHash } from '../../../../shared/api-keys/api-key.ts'
import { createGatewayKeyValue, type KeyId } from '../../../../shared/api-keys/api-key-record.ts'
import type { Plan } from '../../../../shared/api-keys/plans.ts'
import { noon } from '../../../fixtures/clock.ts'
import { type Fate, GatewayKeysWorld } from '../../../fixtures/gateway-keys-world.ts'
import { chooseBySize } from '../../../fixtures/size.ts'
import { Turns } from '../../../fixtures/turns.ts'

/** `PET_GATEWAY_KEYS=100000` tries more worlds. */
const numRuns = Number(process.env['PET_GATEWAY_KEYS'] ?? chooseBySize(3_000, 30_000))

const noonSeconds = noon / 1_000

/** Something that happens in a world, to begin with or between two calls of the function. */
type Happening =
  | { readonly kind: 'issue a key' | 'issue a key of two hours' | 'revoke a key' }
  | { readonly kind: 'move a key'; readonly plan: Plan }
  | { readonly kind: 'change a gateway key by hand'; readonly change: Plan | 'none' | 'deleted' }
  | { readonly kind: 'add an orphan'; readonly plan: Plan | undefined }
  | { readonly kind: 'let time pass'; readonly seconds: number }

const happenings: readonly Happening[] = [
  { kind: 'issue a key' },
  { kind: 'issue a key of two hours' },
  { kind: 'revoke a key' },
  { kind: 'move a key', plan: 'pro' },
  { kind: 'move a key', plan: 'free' },
  { kind: 'change a gateway key by hand', change: 'deleted' },
  { kind: 'change a gateway key by hand', change: 'none' },
  { kind: 'change a gateway key by hand', change: 'enterprise' },
  { kind: 'add an orphan', plan: 'free' },
  { kind: 'add an orphan', plan: undefined },
  { kind: 'let time pass', seconds: 60 },
  { kind: 'let time pass', seconds: 900 },
  { kind: 'let time pass', seconds: 7_190 },
]

/** A happening, and the number of the key to which it happens. */
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

const findKeyHash = (keyNumber: number): KeyHash => {
  const keyHashes = [...world.records.keys()]
  return keyHashes[keyNumber % Math.max(1, keyHashes.length)] ?? hashApiKey('no key')
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
    case 'move a key':
      // The command `move` writes the same.
      world.write(keyHash, { plan: happening.plan, gatewayKey: createGatewayKeyValue(), meteredFrom: undefined })
      break
    case 'change a gateway key by hand':
      world.tamper(keyHash, happening.change)
      break
    case 'add an orphan':
      world.addGatewayKey(createGatewayKeyValue(), happening.plan)
      break
    case 'let time pass':
      world.advance(happening.seconds)
      break
  }
}

const anyFate = fc.constantFrom<Fate[]>('done', 'done', 'fails', 'fails when done', 'cut off')

/** Runs the function a number of times, every 15 minutes. */
const runRepeatedly = async (count: number): Promise<void> => {
  for (let run = 0; run < count; run += 1) {
    await world.run()
    world.advance(900)
  }
}

// `expectAgreement` names the invariants. One of them is that no customer's request was refused on the way.
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
        // Some runs follow every fifth event: the later the event, the more runs.
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

it('a key that will end gets its API Gateway key in one run', async () => {
  world.issue({ plan: 'pro', expiresAt: noonSeconds + 7_200 })

  await world.run()

  world.expectAgreement()
})

it('a key is metered on its API Gateway key an hour after the run that created it', async () => {
  const keyHash = world.issue({ plan: 'pro', expiresAt: noonSeconds + 7_200 })

  await world.run()

  expect(world.records.get(keyHash)?.meteredFrom).toBe(noonSeconds + 3_600)
})

/** Runs the function on two new keys and an orphan. Deleting the orphan fails, and so does creating the first key. */
const runWithFailures = async (): Promise<void> => {
  world.issue({ keyId: 'key_1' as KeyId })
  world.issue({ keyId: 'key_2' as KeyId })
  world.addGatewayKey('orphan')

  // The first two calls list the gateway keys and the records.
  await world.run(['done', 'done', 'fails', 'fails'])
}

it('a run logs each step that fails', async () => {
  await runWithFailures()

  expect(logged).toEqual(['The step "remove" of id of orphan failed.', 'The step "create" of key_1 failed.'])
})

it('a run makes the steps that follow a failed step', async () => {
  await runWithFailures()

  // The orphan is left, and the second key is created.
  expect(world.gatewayKeys.size).toBe(2)
})

it('a run stops at the first key for which the account has no room', async () => {
  world.capacity = 5
  for (let issued = 0; issued < 7; issued += 1) world.issue()

  await world.run()

  expect(world.gatewayKeys.size).toBe(5)
  expect(logged).toHaveLength(1)
})

it('a run creates the missing keys when a full account has room again', async () => {
  world.capacity = 5
  const keyHashes = Array.from({ length: 7 }, () => world.issue())
  await world.run()
  for (const keyHash of keyHashes.slice(0, 2)) world.write(keyHash, { state: 'revoked' })

  await world.run()

  world.expectAgreement()
})

it('a run stops when less than a minute of its time is left', async () => {
  for (let issued = 0; issued < 3; issued += 1) world.issue()

  // A call takes 135 seconds. The run begins the second key with just a minute left, and does not begin the third one.
  await world.run([], async () => world.advance(135))

  expect(world.gatewayKeys.size).toBe(2)
})

it('a run continues where the run before it stopped for lack of time', async () => {
  for (let issued = 0; issued < 3; issued += 1) world.issue()
  await world.run([], async () => world.advance(135))

  await world.run()

  world.expectAgreement()
})
