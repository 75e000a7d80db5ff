/**
 * The whole service in one process, in virtual time: callers, the edge, the functions, the tables, the gateway keys and
 * the operators. The service's own code runs; AWS and the network are simulated.
 */
import { followTable } from '../../functions/gateway-keys/follow-table.ts'
import { KeyTable } from '../../shared/api-keys/key-table.ts'
import { gatewayKeysTimeoutSeconds } from '../../shared/timeouts.ts'
import type { ActorName } from './actor-names.ts'
import { type Actor, startCast } from './cast.ts'
import { runningProcess } from './database.ts'
import type { Violation } from './history.ts'
import type { Invariant } from './invariants.ts'
import { readItems } from './pet-rules.ts'
import { openWorld, type World, type WorldOptions } from './world.ts'

export interface SimulationResult {
  /** The faults that the seed drew, in a sentence. */
  readonly faults: string
  /** The number of creations that callers asked for. */
  readonly pets: number
  /** How often each kind of event has happened. */
  readonly totals: Readonly<Record<string, number>>
  /** Broken invariants, each once. */
  readonly violations: readonly Violation[]
}

interface SimulationOptions extends WorldOptions {
  readonly actors: ReadonlySet<ActorName>
  /** Ends the simulation as soon as this invariant is broken. */
  readonly untilBroken?: Invariant | undefined
}

/** Runs a simulation in this process, whose clocks and timers it replaces for good. */
export const simulate = async ({ untilBroken, actors, ...options }: SimulationOptions): Promise<SimulationResult> => {
  const world = await openWorld(options)
  const { time, faults, history, petRules } = world

  let hasEnded = false
  const run = runEverybody(world, actors).finally(() => {
    hasEnded = true
  })
  const isBroken = () => history.violations.some(({ invariant }) => invariant === untilBroken)
  await Promise.race([time.runUntil(() => hasEnded || isBroken()), run])
  if (hasEnded) await run

  const { totals, violations } = history
  return { faults: faults.describe(), pets: petRules.creationCount, totals, violations }
}

/** Time after the end for requests that are still under way. */
const drainMilliseconds = 20 * 60_000

const runEverybody = async (world: World, actors: ReadonlySet<ActorName>): Promise<void> => {
  const { time, database, tables, gatewayKeys, auditRules, petRules } = world
  const gatewayKeysRuns = { name: 'gateway-keys', ended: scheduleGatewayKeys(world) }
  const cast = await startCast(world, actors)
  await waitForActors(world, [gatewayKeysRuns, ...cast], time.pause(world.end + drainMilliseconds - time.now))
  await runGatewayKeys(world)
  await runGatewayKeys(world)
  await gatewayKeys.check()
  petRules.checkAtEnd(await readItems(database.observe(), tables.pets))
  await auditRules.checkAtEnd(database.observe(), tables)
}

/**
 * Waits until the drain has ended, so that requests without a waiting caller end too. Reports the actors that have not
 * ended by then: a call or a command of theirs hangs.
 *
 * @throws the error of the first actor that fails
 */
const waitForActors = async ({ history }: World, actors: readonly Actor[], drained: Promise<void>): Promise<void> => {
  const hanging = new Set(actors.map(({ name }) => name))
  const ends = actors.map(async ({ name, ended }) => {
    await ended
    hanging.delete(name)
  })
  // The first promise only passes on the error of an actor.
  await Promise.race([Promise.all(ends).then(() => drained), drained])

  const [subject] = hanging
  if (subject === undefined) return
  history.report('every actor ends', subject, `${[...hanging].join(', ')} did not end`)
}

const gatewayKeysMilliseconds = 15 * 60_000

/** Runs the function `gateway-keys` each quarter of an hour, from the beginning of the warm-up to the end. */
const scheduleGatewayKeys = async (world: World): Promise<void> => {
  const { time } = world
  while (!world.isOver()) {
    // A run takes at most ten minutes.
    const nextRun = (Math.floor(time.now / gatewayKeysMilliseconds) + 1) * gatewayKeysMilliseconds
    await runGatewayKeys(world)
    await time.pause(nextRun - time.now)
  }
}

const runGatewayKeys = async ({ time, database, tables, gatewayKeys, history }: World): Promise<void> => {
  const end = time.now + gatewayKeysTimeoutSeconds * 1_000
  const run = followTable({
    table: new KeyTable(database.connect(runningProcess), tables.apiKeys),
    gateway: gatewayKeys,
    clock: () => time.now,
    remainingMilliseconds: () => end - time.now,
    pause: time.pause,
  })
  // Faults make runs fail. The next run goes on.
  await run.catch((error) => history.note('gateway-keys', String(error)))
}
