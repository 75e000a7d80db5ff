/**
 * The whole service in one process, in virtual time: callers, the edge, the functions, the tables, the gateway keys and
 * the operators. The service's own code runs; AWS and the network are simulated.
 */
import { type Allowance, fixedPlans, type Plan } from '../../shared/api-keys/plans.ts'
import { startBatchShelter } from './batch-shelters.ts'
import { type Callers, type Credential, startFollower, startLister, startShelter, startSite } from './callers.ts'
import type { Hour, Violation } from './history.ts'
import { startImporter } from './importer.ts'
import { startKeyOperators } from './key-operators.ts'
import { startMovedCustomer } from './moved-customers.ts'
import { issueKey, type Operators } from './operators.ts'
import type { ActorName } from './parts.ts'
import { startPetOperators } from './pet-operators.ts'
import { startCareful, startFlood, startStubborn, startThief } from './raw-callers.ts'
import { checkGatewayKeys, openWorld, scheduleGatewayKeys, type World, type WorldOptions } from './world.ts'

export interface SimulationResult {
  /** The faults that the seed drew, in a sentence. */
  readonly faults: string
  readonly hours: readonly Hour[]
  readonly pets: number
  /** Hash of all events. */
  readonly digest: string
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
  runEverybody(world, options.actors)
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
    digest: history.digest,
    violations: history.violations,
  }
}

const runEverybody = async (world: World, actors: ReadonlySet<ActorName>): Promise<void> => {
  const { time, schedule, random, petAuditRules, keyAuditRules, petRules } = world
  const callers: Callers = {
    ...world,
    random: random.fork(),
    mustSucceed: () => time.now >= schedule.settled,
    isClosing: () => time.now >= schedule.closing,
    isOver: () => time.now >= schedule.end,
  }
  const operators: Operators = { ...world, ...callers }

  const ended = [
    scheduleGatewayKeys(world, schedule.end),
    ...(await startCustomers(operators, actors)),
    ...(await startOthers(operators, actors)),
  ]
  if (actors.has('pet-operators')) ended.push(startPetOperators(operators))
  if (actors.has('importer')) ended.push(startImporter(operators))
  await Promise.race([Promise.all(ended), time.pause(schedule.end + drainMilliseconds - time.now)])
  await checkGatewayKeys(world)
  await petRules.checkAtEnd()
  petAuditRules.checkAtEnd()
  keyAuditRules.checkAtEnd()
}

interface CredentialOptions {
  readonly plan: Plan
  readonly allowance: Allowance
  /** Whether the caller sends one request after the other. @default true */
  readonly isSequential?: boolean
}

/** Issues the key of a caller. */
const createCredential = async (
  operators: Operators,
  name: string,
  { plan, allowance, isSequential = true }: CredentialOptions,
): Promise<Credential> => {
  const { apiKey } = await issueKey(operators, { owner: name, plan, allowance })
  operators.limitRules.addKey(apiKey, name, allowance, isSequential)
  return { apiKey, name, isRevoked: false, isInDoubt: false }
}

/** Callers whose keys operators change. The seconds between two requests or runs are drawn between two bounds. */
const customers = [
  { actor: 'shelters', plan: 'free', count: 8, start: startShelter, shortest: 20, longest: 400 },
  { actor: 'batch-shelters', plan: 'free', count: 3, start: startBatchShelter, shortest: 120, longest: 600 },
  { actor: 'sites', plan: 'pro', count: 3, start: startSite, shortest: 2, longest: 60 },
  { actor: 'listers', plan: 'pro', count: 1, start: startLister, shortest: 60, longest: 300 },
] as const

/** Starts customers, and operators who change their keys. @returns promises of their ends */
const startCustomers = async (operators: Operators, actors: ReadonlySet<ActorName>): Promise<Promise<void>[]> => {
  const { random } = operators
  const ended: Promise<void>[] = []
  const credentials: Credential[] = []
  for (const { actor, plan, count, start, shortest, longest } of customers) {
    for (let number = 1; actors.has(actor) && number <= count; number += 1) {
      // Thieves use the key too, so its requests do not come one after the other.
      const order = { plan, allowance: fixedPlans[plan], isSequential: false }
      const credential = await createCredential(operators, `${actor} ${number}`, order)
      credentials.push(credential)
      ended.push(start(operators, credential, random.between(shortest, longest)))
    }
  }
  const thieves = actors.has('thieves') ? credentials : []
  for (const credential of thieves) ended.push(startThief(operators, { ...credential }))
  if (actors.has('key-operators')) ended.push(startKeyOperators(operators, credentials))
  return ended
}

/** Starts callers whose keys `startKeyOperators` leaves alone. @returns promises of their ends */
const startOthers = async (operators: Operators, actors: ReadonlySet<ActorName>): Promise<Promise<void>[]> => {
  const large = { plan: 'enterprise', allowance: { perMinute: 300, perDay: 1_000_000 } } as const
  const small = { plan: 'enterprise', allowance: { perMinute: 20, perDay: 1_000_000 } } as const
  const free = { plan: 'free', allowance: fixedPlans.free, isSequential: false } as const
  // Bursts use up this day within the first hour.
  const shortDay = { plan: 'enterprise', allowance: { perMinute: 60, perDay: 100 }, isSequential: false } as const
  const business = { plan: 'business', allowance: fixedPlans.business, isSequential: false } as const
  // The plan was lowered after the key was issued.
  const lowered = { plan: 'free', allowance: { perMinute: 180, perDay: 100_000 } } as const

  const ended: Promise<void>[] = []
  if (actors.has('follower')) {
    ended.push(startFollower(operators, await createCredential(operators, 'follower 1', large), 120))
    ended.push(startFollower(operators, await createCredential(operators, 'follower 2', large), 15))
  }
  if (actors.has('careful')) {
    ended.push(startCareful(operators, await createCredential(operators, 'careful 1', small), { longestSeries: 90 }))
    ended.push(startCareful(operators, await createCredential(operators, 'careful 2', small), { longestSeries: 90 }))
  }
  if (actors.has('lowered-plan')) {
    const credential = await createCredential(operators, 'lowered plan', lowered)
    ended.push(startCareful(operators, credential, { longestSeries: 300 }))
  }
  if (actors.has('moved-customers')) {
    ended.push(startMovedCustomer(operators, await createCredential(operators, 'moved customer 1', business)))
    ended.push(startMovedCustomer(operators, await createCredential(operators, 'moved customer 2', business)))
  }
  if (actors.has('stubborn')) {
    ended.push(startStubborn(operators, await createCredential(operators, 'stubborn 1', small)))
    ended.push(startStubborn(operators, await createCredential(operators, 'stubborn 2', small)))
    ended.push(startStubborn(operators, await createCredential(operators, 'stubborn 3', small)))
  }
  if (actors.has('flood')) {
    ended.push(startFlood(operators, await createCredential(operators, 'flood 1', free)))
    ended.push(startFlood(operators, await createCredential(operators, 'flood 2', shortDay)))
  }
  return ended
}
