/**
 * The whole service in one process, in virtual time: callers, the edge, the functions, the tables, the gateway keys and
 * the operators. The service's own code runs; AWS and the network are simulated.
 */
import { waitForActors } from './actors.ts'
import type { Callers } from './callers.ts'
import { startCast } from './cast.ts'
import type { OutcomeCounts } from './command-rules.ts'
import type { Totals, Violation } from './history.ts'
import type { ActorName } from './parts.ts'
import { checkGatewayKeys, openWorld, scheduleGatewayKeys, type World, type WorldOptions } from './world.ts'

export interface SimulationResult {
  /** The faults that the seed drew, in a sentence. */
  readonly faults: string
  readonly totals: Totals
  readonly pets: number
  /** Hash of all events. */
  readonly digest: string
  /** Outcomes of operators' commands by their kinds, such as `keys rotate`. */
  readonly commands: Readonly<Record<string, OutcomeCounts>>
  /** Broken invariants, each once. */
  readonly violations: readonly Violation[]
}

/** Time after the end for requests that are still under way. */
const drainMilliseconds = 20 * 60_000

export interface SimulationOptions extends WorldOptions {
  readonly actors: ReadonlySet<ActorName>
  /** Ends the simulation as soon as this invariant is broken. */
  readonly untilBroken?: string | undefined
}

/** Runs a simulation in this process, whose clocks and timers it replaces for good. */
export const simulate = async ({ untilBroken, actors, ...options }: SimulationOptions): Promise<SimulationResult> => {
  const world = await openWorld(options)
  const { time, faults, history, petRules, commandRules } = world

  const run = Promise.withResolvers<void>()
  let hasEnded = false
  runEverybody(world, actors)
    .then(run.resolve, run.reject)
    .finally(() => {
      hasEnded = true
    })
  const isBroken = () => history.violations.some(({ invariant }) => invariant === untilBroken)
  await time.runUntil(() => hasEnded || isBroken())
  if (hasEnded) await run.promise

  return {
    faults: faults.describe(),
    totals: history.totals,
    pets: petRules.creationCount,
    digest: history.digest,
    commands: commandRules.counts,
    violations: history.violations,
  }
}

const runEverybody = async (world: World, actors: ReadonlySet<ActorName>): Promise<void> => {
  const { time, schedule, random, auditRules, commandRules, petRules } = world
  const callers: Callers = {
    ...world,
    random: random.fork(),
    mustSucceed: () => time.now >= schedule.settled,
    isClosing: () => time.now >= schedule.closing,
    isOver: () => time.now >= schedule.end,
    rest: (milliseconds) => time.pause(Math.min(milliseconds, schedule.end - time.now)),
  }
  const actorsAtWork = [
    { name: 'gateway-keys', ended: scheduleGatewayKeys(world, schedule.end) },
    ...(await startCast({ ...world, ...callers }, actors)),
  ]
  await waitForActors(world.history, actorsAtWork, time.pause(schedule.end + drainMilliseconds - time.now))
  await checkGatewayKeys(world)
  await petRules.checkAtEnd()
  await auditRules.checkAtEnd(world.database.observe(), world.tables)
  commandRules.checkAtEnd()
}
