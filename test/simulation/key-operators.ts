/** Operators who rotate, move and revoke keys with the real commands, and who are killed at times. */
import { fixedPlans } from '../../shared/api-keys/plans.ts'
import type { Credential } from './callers.ts'
import { runCommand } from './operators.ts'
import type { Random } from './random.ts'
import { sendOnce } from './raw-callers.ts'
import type { World } from './world.ts'

/** Starts operators who change the keys of callers now and then, at times two of them the same key at once. */
export const startKeyOperators = async (world: World, credentials: readonly Credential[]): Promise<void> => {
  const { isClosing, rest } = world
  const random = world.random.fork()
  while (!isClosing()) {
    await rest(random.untilNext(200) * 1_000)
    const credential = credentials[random.integer(0, credentials.length - 1)]
    if (credential === undefined || credential.isRevoked || isClosing()) continue
    const change = drawChange(random)
    const second = random.pick([undefined, undefined, change, drawChange(random)])
    const changes = second === undefined ? [change] : [change, second]
    await Promise.all(
      changes.map(async (chosen) => {
        await world.time.pause(random.between(0, 20))
        await chosen(world, credential, random)
      }),
    )
  }
}

/** The share of revocations in all commands. With more of them, no caller would be left soon. */
const revocationShare = 0.04

type KeyChange = (world: World, credential: Credential, random: Random) => Promise<void>

const drawChange = (random: Random): KeyChange => {
  if (random.chance(revocationShare)) return revokeKey
  return random.pick([moveKey, rotateWhileUsed])
}

/** Moves a key to another plan. */
const moveKey: KeyChange = async (world, { apiKey }, random) => {
  const plan = random.pick(['free', 'pro', 'business'] as const)
  world.limitPromises.expectLimits(apiKey, fixedPlans[plan])
  await runCommand(world, {
    kind: 'keys set',
    subject: apiKey,
    run: ({ keys }) => keys.set(apiKey, { plan }),
  })
}

const revokeKey: KeyChange = async (world, credential) => {
  const { apiKey } = credential
  credential.isRevoked = true
  await runCommand(world, {
    kind: 'keys revoke',
    subject: apiKey,
    run: async ({ keys }) => {
      await keys.revoke(apiKey)
      world.limitPromises.endKey(apiKey, world.time.now)
    },
  })
}

const requestsDuringRotation = 5

/** Rotates a key, and sends some requests meanwhile, so that their counting can meet the transaction. */
const rotateWhileUsed: KeyChange = async (world, credential, random) => {
  const { apiKey } = credential
  const rotated = rotateKey(world, credential, random.integer(0, 1_200))
  for (let sent = 0; sent < requestsDuringRotation; sent += 1) {
    // The next request does not wait for the response.
    void sendOnce(apiKey)
    await world.time.pause(random.between(0, 100))
  }
  await rotated
}

/** Rotates a caller's key, and gives the caller the new one. */
export const rotateKey = async (world: World, credential: Credential, overlapSeconds: number): Promise<void> => {
  const { limitPromises, time } = world
  const { apiKey, name } = credential
  credential.isInDoubt = true
  await runCommand(world, {
    kind: 'keys rotate',
    subject: apiKey,
    run: async ({ keys }) => {
      const issued = await keys.rotate(apiKey, overlapSeconds)
      // Another operator may have changed the limits just before.
      const { minuteLimit, dayLimit } = issued.record
      const limits = { perMinute: minuteLimit, perDay: dayLimit }
      limitPromises.addKey(issued.apiKey, { name: `the successor of ${name}`, limits, isSequential: false })
      limitPromises.endKey(apiKey, time.now + overlapSeconds * 1_000)
      credential.apiKey = issued.apiKey
      credential.isInDoubt = false
    },
  })
}
