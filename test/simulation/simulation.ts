/**
 * The whole service in one process, in virtual time: callers, the edge, the functions, the tables, the gateway keys and
 * the operators. The service's own code runs; AWS and the network are simulated.
 */
import { type Allowance, fixedPlans, type Plan } from '../../shared/api-keys/plans.ts'
import { type Actor, waitForActors } from './actors.ts'
import { startBatchShelter } from './batch-shelters.ts'
import { type Callers, type Credential, startFollower, startLister, startShelter, startSite } from './callers.ts'
import type { OutcomeCounts } from './command-rules.ts'
import type { Hour, Violation } from './history.ts'
import { startImporter } from './importer.ts'
import { startKeyOperators, startUnbanningOperator } from './key-operators.ts'
import { startMovedCustomer } from './moved-customers.ts'
import { issueKey, type Operators } from './operators.ts'
import type { ActorName } from './parts.ts'
import { startPetOperators } from './pet-operators.ts'
import { startCareful, startFlood, startStubborn, startThief } from './raw-callers.ts'
import { checkGatewayKeys, openWorld, scheduleGatewayKeys, type World, type WorldOptions } from './world.ts'

export interface SimulationResult {
  /** The faults that the seed drew, in a sentence. */
  readonly faults: string
  /** Commit of the functions that serve requests beside those of the sources; null without any. */
  readonly releasedCommit: string | null
  readonly hours: readonly Hour[]
  readonly pets: number
  /** Outcomes of operators' commands by their kinds, such as `keys rotate`. */
  readonly commands: Readonly<Record<string, OutcomeCounts>>
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
  const { time, faults, history, petRules, commandRules, releasedCommit } = world

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
    releasedCommit: releasedCommit ?? null,
    hours: history.hours,
    pets: petRules.creationCount,
    commands: commandRules.counts,
    violations: history.violations,
  }
}

const runEverybody = async (world: World, actors: ReadonlySet<ActorName>): Promise<void> => {
  const { time, schedule, random, petAuditRules, keyAuditRules, commandRules, petRules } = world
  const callers: Callers = {
    ...world,
    random: random.fork(),
    mustSucceed: () => time.now >= schedule.settled,
    isClosing: () => time.now >= schedule.closing,
    isOver: () => time.now >= schedule.end,
    rest: (milliseconds) => time.pause(Math.min(milliseconds, schedule.end - time.now)),
  }
  const operators = { ...world, ...callers }

  const started: Actor[] = [
    { name: 'gateway-keys', ended: scheduleGatewayKeys(world, schedule.end) },
    ...(await startCustomers(operators, actors)),
    ...(await startOthers(operators, actors)),
  ]
  if (actors.has('pet-operators')) started.push({ name: 'pet operators', ended: startPetOperators(operators) })
  if (actors.has('importer')) started.push({ name: 'importer', ended: startImporter(operators) })
  await waitForActors(world.history, started, time.pause(schedule.end + drainMilliseconds - time.now))
  await checkGatewayKeys(world)
  await petRules.checkAtEnd()
  petAuditRules.checkAtEnd()
  keyAuditRules.checkAtEnd()
  commandRules.checkAtEnd()
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
  return { apiKey, name, isRevoked: false, isInDoubt: false, endsUnderWay: 0 }
}

/** Callers whose keys operators change. The seconds between two requests or runs are drawn between two bounds. */
const customers = [
  { actor: 'shelters', plan: 'free', count: 8, start: startShelter, shortest: 20, longest: 400 },
  { actor: 'batch-shelters', plan: 'free', count: 3, start: startBatchShelter, shortest: 120, longest: 600 },
  { actor: 'sites', plan: 'pro', count: 3, start: startSite, shortest: 2, longest: 60 },
  { actor: 'listers', plan: 'pro', count: 1, start: startLister, shortest: 60, longest: 300 },
] as const

/** Starts customers, and operators who change their keys. */
const startCustomers = async (operators: Operators, actors: ReadonlySet<ActorName>): Promise<Actor[]> => {
  const { random } = operators
  const started: Actor[] = []
  const credentials: Credential[] = []
  for (const { actor, plan, count, start, shortest, longest } of customers) {
    for (let number = 1; actors.has(actor) && number <= count; number += 1) {
      // Thieves use the key too, so its requests do not come one after the other.
      const order = { plan, allowance: fixedPlans[plan], isSequential: false }
      const credential = await createCredential(operators, `${actor} ${number}`, order)
      credentials.push(credential)
      const ended = start(operators, credential, random.between(shortest, longest))
      started.push({ name: credential.name, ended })
    }
  }
  const thieves = actors.has('thieves') ? credentials : []
  for (const credential of thieves) {
    started.push({ name: `thief of ${credential.name}`, ended: startThief(operators, { ...credential }) })
  }
  if (actors.has('key-operators')) {
    started.push({ name: 'key operators', ended: startKeyOperators(operators, credentials) })
  }
  return started
}

/** Starts callers whose keys `startKeyOperators` leaves alone. */
const startOthers = async (
  operators: Operators & Pick<World, 'keyTable'>,
  actors: ReadonlySet<ActorName>,
): Promise<Actor[]> => {
  const large = { plan: 'enterprise', allowance: { perMinute: 300, perDay: 1_000_000 } } as const
  const small = { plan: 'enterprise', allowance: { perMinute: 20, perDay: 1_000_000 } } as const
  const free = { plan: 'free', allowance: fixedPlans.free, isSequential: false } as const
  const business = { plan: 'business', allowance: fixedPlans.business, isSequential: false } as const
  // The plan was lowered after the key was issued.
  const lowered = { plan: 'free', allowance: { perMinute: 180, perDay: 100_000 } } as const

  const started: Actor[] = []
  const start = async (
    name: string,
    options: CredentialOptions,
    startWith: (credential: Credential) => Promise<void>,
  ): Promise<Credential> => {
    const credential = await createCredential(operators, name, options)
    started.push({ name, ended: startWith(credential) })
    return credential
  }

  if (actors.has('follower')) {
    await start('follower 1', large, (credential) => startFollower(operators, credential, 120))
    await start('follower 2', large, (credential) => startFollower(operators, credential, 15))
  }
  if (actors.has('careful')) {
    await start('careful 1', small, (credential) => startCareful(operators, credential, { longestSeries: 90 }))
    await start('careful 2', small, (credential) => startCareful(operators, credential, { longestSeries: 90 }))
  }
  if (actors.has('lowered-plan')) {
    await start('lowered plan', lowered, (credential) => startCareful(operators, credential, { longestSeries: 300 }))
  }
  if (actors.has('moved-customers')) {
    await start('moved customer 1', business, (credential) => startMovedCustomer(operators, credential))
    await start('moved customer 2', business, (credential) => startMovedCustomer(operators, credential))
  }
  const stubborn: Credential[] = []
  for (let number = 1; actors.has('stubborn') && number <= 3; number += 1) {
    stubborn.push(await start(`stubborn ${number}`, small, (credential) => startStubborn(operators, credential)))
  }
  if (actors.has('key-operators')) {
    started.push({ name: 'unbanning operator', ended: startUnbanningOperator(operators, stubborn) })
  }
  if (actors.has('flood')) await start('flood', free, (credential) => startFlood(operators, credential))
  return started
}
