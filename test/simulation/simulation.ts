/**
 * The whole service in one process, in virtual time: callers, the edge, the functions, the tables, the gateway keys and
 * the operators. The service's own code runs; AWS and the network are simulated.
 */
import { type Allowance, fixedPlans, type Plan } from '../../shared/api-keys/plans.ts'
import {
  type Callers,
  type Credential,
  startCareful,
  startFlood,
  startFollower,
  startReader,
  startShelter,
  startThief,
} from './callers.ts'
import type { Hour, Violation } from './history.ts'
import { issueKey, type Operators, startOperators } from './operators.ts'
import { startPetOperators } from './pet-operators.ts'
import { checkGatewayKeys, openWorld, scheduleGatewayKeys, type World, type WorldOptions } from './world.ts'

export interface SimulationResult {
  /** The faults that the seed drew, in a sentence. */
  readonly faults: string
  readonly hours: readonly Hour[]
  readonly pets: number
  /** Broken invariants, each once. */
  readonly violations: readonly Violation[]
}

/** Time after the end for requests that are still under way. */
const drainMilliseconds = 20 * 60_000

export interface SimulationOptions extends WorldOptions {
  /** Ends the simulation as soon as this invariant is broken. */
  readonly untilBroken?: string | undefined
}

/** Runs a simulation in this process, whose clocks and timers it replaces for good. */
export const simulate = async ({ untilBroken, ...options }: SimulationOptions): Promise<SimulationResult> => {
  const world = await openWorld(options)
  const { time, faults, history, petRules } = world

  const run = Promise.withResolvers<void>()
  let hasEnded = false
  runEverybody(world)
    .then(run.resolve, run.reject)
    .finally(() => {
      hasEnded = true
    })
  const isBroken = () => history.violations.some(({ invariant }) => invariant === untilBroken)
  await time.runUntil(() => hasEnded || isBroken())
  if (hasEnded) await run.promise

  return {
    faults: faults.describe(),
    hours: history.hours,
    pets: petRules.creationCount,
    violations: history.violations,
  }
}

const runEverybody = async (world: World): Promise<void> => {
  const { time, schedule, random, history, limitRules, petRules, auditRules, database, tables } = world
  const callers: Callers = {
    time,
    random: random.fork(),
    history,
    petRules,
    mustSucceed: () => time.now >= schedule.settled,
    isClosing: () => time.now >= schedule.closing,
    isOver: () => time.now >= schedule.end,
  }
  const operators: Operators = { ...callers, limitRules, auditRules, database, tables }

  const ended = [
    scheduleGatewayKeys(world, schedule.end),
    ...(await startCustomers(operators)),
    ...(await startOthers(operators)),
    startPetOperators(operators),
  ]
  await Promise.race([Promise.all(ended), time.pause(schedule.end + drainMilliseconds - time.now)])
  await checkGatewayKeys(world)
  await petRules.checkAtEnd()
  auditRules.checkAtEnd()
}

/** Issues the key of a caller. */
const createCredential = async (
  operators: Operators,
  name: string,
  { plan, allowance, isSequential = true }: { plan: Plan; allowance: Allowance; isSequential?: boolean },
): Promise<Credential> => {
  const { apiKey } = await issueKey(operators, { owner: name, plan, allowance })
  operators.limitRules.addKey(apiKey, name, allowance, isSequential)
  return { apiKey, name, isRevoked: false }
}

const shelterCount = 8
const readerCount = 4

/** Starts shelters and sites, and operators who change their keys. @returns promises of their ends */
const startCustomers = async (operators: Operators): Promise<Promise<void>[]> => {
  const { random } = operators
  const ended: Promise<void>[] = []
  const credentials: Credential[] = []
  for (let number = 1; number <= shelterCount; number += 1) {
    const order = { plan: 'free', allowance: fixedPlans.free, isSequential: false } as const
    const credential = await createCredential(operators, `shelter ${number}`, order)
    credentials.push(credential)
    ended.push(startShelter(operators, credential, random.between(20, 400)))
  }
  for (let number = 1; number <= readerCount; number += 1) {
    const order = { plan: 'pro', allowance: fixedPlans.pro, isSequential: false } as const
    const credential = await createCredential(operators, `reader ${number}`, order)
    credentials.push(credential)
    ended.push(startReader(operators, credential, random.between(2, 60)))
  }
  // The keys of customers are used by thieves too, so their requests do not come one after the other.
  for (const credential of credentials) ended.push(startThief(operators, { ...credential }))
  return [...ended, startOperators(operators, credentials)]
}

/** Starts callers whose keys stay as they are. @returns promises of their ends */
const startOthers = async (operators: Operators): Promise<Promise<void>[]> => {
  const large = { plan: 'enterprise', allowance: { perMinute: 300, perDay: 1_000_000 } } as const
  const small = { plan: 'enterprise', allowance: { perMinute: 20, perDay: 1_000_000 } } as const
  const free = { plan: 'free', allowance: fixedPlans.free, isSequential: false } as const
  return [
    startFollower(operators, await createCredential(operators, 'follower', large)),
    startCareful(operators, await createCredential(operators, 'careful 1', small)),
    startCareful(operators, await createCredential(operators, 'careful 2', small)),
    startFlood(operators, await createCredential(operators, 'flood', free)),
  ]
}
