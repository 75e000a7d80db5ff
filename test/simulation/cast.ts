/** The cast of a simulation: callers with their keys, and operators. */
import { fixedPlans, type Limits, type Plan } from '../../shared/api-keys/plans.ts'
import type { Actor } from './actors.ts'
import { type Credential, startFollower, startLister, startShelter, startSite } from './callers.ts'
import { rotateKey, startKeyOperators, startUnbanningOperator } from './key-operators.ts'
import { startMovedCustomer } from './moved-customers.ts'
import { issueKey, type Operators, runCommand } from './operators.ts'
import type { ActorName } from './parts.ts'
import { startCareful, startFlood, startStubborn, startThief } from './raw-callers.ts'
import { startSource } from './source.ts'
import type { World } from './world.ts'

/** Starts an actor when the warm-up has ended. */
type Start = (name: string, act: () => Promise<void>) => void

/** The parts that all actors share, and what the cast needs to start them. */
type CastParts = Operators & Pick<World, 'keyTable'>

/** Issues the keys of those who act during the warm-up, and starts everybody after it. */
export const startCast = async (parts: CastParts, actors: ReadonlySet<ActorName>): Promise<readonly Actor[]> => {
  const started: Actor[] = []
  const start: Start = (name, act) => {
    started.push({ name, ended: actAfterWarmUp(parts, act) })
  }
  await startCustomers(parts, actors, start)
  await startOthers(parts, actors, start)
  if (actors.has('source')) start('source', () => startSource(parts))
  return started
}

const actAfterWarmUp = async ({ time, schedule }: Operators, act: () => Promise<void>): Promise<void> => {
  await time.pause(schedule.start - time.now)
  await act()
}

interface CredentialOptions {
  readonly plan: Plan
  readonly limits: Limits
  /** Whether the caller sends one request after the other. @default true */
  readonly isSequential?: boolean
}

/** Issues the key of a caller. */
const createCredential = async (
  operators: Operators,
  name: string,
  { plan, limits, isSequential = true }: CredentialOptions,
): Promise<Credential> => {
  const { apiKey } = await issueKey(operators, { owner: name, plan, limits })
  operators.limitRules.addKey(apiKey, name, limits, isSequential)
  return { apiKey, name, isRevoked: false, isInDoubt: false, endsUnderWay: 0 }
}

/** Callers whose keys operators change. The seconds between two requests or runs are drawn between two bounds. */
const customers = [
  { actor: 'shelters', plan: 'free', count: 8, start: startShelter, shortest: 20, longest: 400 },
  { actor: 'sites', plan: 'pro', count: 3, start: startSite, shortest: 2, longest: 60 },
  { actor: 'listers', plan: 'pro', count: 1, start: startLister, shortest: 60, longest: 300 },
] as const

/** Starts customers, those who have stolen their keys, and the operators who change these. */
const startCustomers = async (operators: Operators, actors: ReadonlySet<ActorName>, start: Start): Promise<void> => {
  const { random } = operators
  const credentials: Credential[] = []
  for (const customer of customers) {
    for (let number = 1; actors.has(customer.actor) && number <= customer.count; number += 1) {
      const { plan, shortest, longest } = customer
      // Thieves use the key too, so its requests do not come one after the other.
      const order = { plan, limits: fixedPlans[plan], isSequential: false }
      const credential = await createCredential(operators, `${customer.actor} ${number}`, order)
      credentials.push(credential)
      start(credential.name, () => customer.start(operators, credential, random.between(shortest, longest)))
    }
  }
  const stolen = actors.has('thieves') ? credentials.map((credential) => ({ ...credential })) : []
  for (const credential of stolen) start(`thief of ${credential.name}`, () => startThief(operators, credential))
  if (!actors.has('key-operators')) return
  await rotateSome(operators, credentials)
  start('key operators', () => startKeyOperators(operators, credentials))
}

/** The share of customers whose key is rotated during the warm-up. */
const rotatedShare = 0.3

/** Seconds for which their replaced keys work: until some time in the first hours of requests. */
const shortestOverlapSeconds = 5_000
const longestOverlapSeconds = 10_000

/** Rotates some keys during the warm-up, so that usage plans meter requests of successors and of replaced keys. */
const rotateSome = async (operators: Operators, credentials: readonly Credential[]): Promise<void> => {
  const { random } = operators
  const rotated = credentials.filter(() => random.chance(rotatedShare))
  for (const credential of rotated) {
    const overlapSeconds = random.integer(shortestOverlapSeconds, longestOverlapSeconds)
    await runCommand(operators, {
      kind: 'keys rotate',
      subject: credential.apiKey,
      run: (process) => rotateKey(operators, process, credential, overlapSeconds),
    })
  }
}

const large = { plan: 'enterprise', limits: { perMinute: 300, perDay: 1_000_000 } } as const
const small = { plan: 'enterprise', limits: { perMinute: 20, perDay: 1_000_000 } } as const
const free = { plan: 'free', limits: fixedPlans.free, isSequential: false } as const
const business = { plan: 'business', limits: fixedPlans.business, isSequential: false } as const

/** Bursts use up this day within the first hour. */
const shortDay = { plan: 'enterprise', limits: { perMinute: 60, perDay: 100 }, isSequential: false } as const

/** The plan was lowered after the key was issued. */
const lowered = { plan: 'free', limits: { perMinute: 180, perDay: 100_000 } } as const

/** Starts callers whose keys `startKeyOperators` leaves alone. */
const startOthers = async (parts: CastParts, actors: ReadonlySet<ActorName>, start: Start): Promise<void> => {
  const startWithKey = async (
    name: string,
    options: CredentialOptions,
    act: (credential: Credential) => Promise<void>,
  ): Promise<Credential> => {
    const credential = await createCredential(parts, name, options)
    start(name, () => act(credential))
    return credential
  }

  if (actors.has('follower')) {
    await startWithKey('follower 1', large, (credential) => startFollower(parts, credential, 120))
    await startWithKey('follower 2', large, (credential) => startFollower(parts, credential, 15))
  }
  if (actors.has('careful')) {
    await startWithKey('careful 1', small, (credential) => startCareful(parts, credential, { longestSeries: 90 }))
    await startWithKey('careful 2', small, (credential) => startCareful(parts, credential, { longestSeries: 90 }))
  }
  if (actors.has('lowered-plan')) {
    await startWithKey('lowered plan', lowered, (credential) => startCareful(parts, credential, { longestSeries: 300 }))
  }
  if (actors.has('moved-customers')) {
    await startWithKey('moved customer 1', business, (credential) => startMovedCustomer(parts, credential))
    await startWithKey('moved customer 2', business, (credential) => startMovedCustomer(parts, credential))
  }
  if (actors.has('flood')) {
    await startWithKey('flood 1', free, (credential) => startFlood(parts, credential))
    await startWithKey('flood 2', shortDay, (credential) => startFlood(parts, credential))
  }
  const stubborn: Credential[] = []
  for (let number = 1; actors.has('stubborn') && number <= 3; number += 1) {
    stubborn.push(await startWithKey(`stubborn ${number}`, small, (credential) => startStubborn(parts, credential)))
  }
  if (actors.has('key-operators')) start('unbanning operator', () => startUnbanningOperator(parts, stubborn))
}
