/** The cast of a simulation: callers with their keys, and operators. */
import { fixedPlans, type Limits, type Plan } from '../../shared/api-keys/plans.ts'
import type { ActorName } from './actor-names.ts'
import { type Credential, startFollower, startShelter, startSite } from './callers.ts'
import { rotateKey, startKeyOperators } from './key-operators.ts'
import { issueKey } from './operators.ts'
import { startFlood, startPatient, startThief } from './raw-callers.ts'
import { startSource } from './source.ts'
import type { World } from './world.ts'

/** Somebody who acts until the simulation ends. */
export interface Actor {
  readonly name: string
  /** Resolves when the actor has ended all that it does. */
  readonly ended: Promise<void>
}

/** Starts an actor when the warm-up has ended. */
type Start = (name: string, act: () => Promise<void>) => void

/** Issues the keys of those who act during the warm-up, and starts everybody after it. */
export const startCast = async (world: World, names: ReadonlySet<ActorName>): Promise<readonly Actor[]> => {
  const { time, startOfTraffic } = world
  const actors: Actor[] = []
  const start: Start = (name, act) => {
    const actAfterWarmUp = async (): Promise<void> => {
      await time.pause(startOfTraffic - time.now)
      await act()
    }
    actors.push({ name, ended: actAfterWarmUp() })
  }
  await startCustomers(world, names, start)
  await startUnchangedCallers(world, names, start)
  if (names.has('source')) start('source', () => startSource(world))
  return actors
}

interface CredentialOptions {
  readonly plan: Plan
  readonly limits: Limits
  readonly isSequential?: boolean
}

/** Issues the key of a caller. */
const createCredential = async (
  world: World,
  name: string,
  { plan, limits, isSequential = false }: CredentialOptions,
): Promise<Credential> => {
  const { apiKey } = await issueKey(world, { owner: name, plan, limits })
  world.limitPromises.addKey(apiKey, { name, limits, isSequential })
  return { apiKey, name, isRevoked: false, isInDoubt: false }
}

/** Callers whose keys operators change. The seconds between two requests are drawn between two bounds. */
const customers = [
  { actor: 'shelters', plan: 'free', count: 8, start: startShelter, shortest: 20, longest: 400 },
  { actor: 'sites', plan: 'pro', count: 3, start: startSite, shortest: 10, longest: 60 },
] as const

/** The share of customers whose key is rotated during the warm-up, and how long their replaced keys work. */
const rotatedShare = 0.3
const shortestOverlapSeconds = 5_000
const longestOverlapSeconds = 10_000

/** Starts customers, those who have stolen their keys, and the operators who change these. */
const startCustomers = async (world: World, names: ReadonlySet<ActorName>, start: Start): Promise<void> => {
  const { random } = world
  const credentials: Credential[] = []
  for (const { actor, plan, count, start: startCustomer, shortest, longest } of customers) {
    for (let number = 1; names.has(actor) && number <= count; number += 1) {
      const credential = await createCredential(world, `${actor} ${number}`, { plan, limits: fixedPlans[plan] })
      credentials.push(credential)
      start(credential.name, () => startCustomer(world, credential, random.between(shortest, longest)))
    }
  }
  for (const { name, apiKey } of names.has('thieves') ? credentials : []) {
    start(`thief of ${name}`, () => startThief(world, apiKey))
  }
  if (!names.has('key-operators')) return
  // Usage plans then meter requests of successors and of replaced keys from the first one on.
  for (const credential of credentials.filter(() => random.chance(rotatedShare))) {
    await rotateKey(world, credential, random.integer(shortestOverlapSeconds, longestOverlapSeconds))
  }
  start('key operators', () => startKeyOperators(world, credentials))
}

const largeLimits = { perMinute: 300, perDay: 1_000_000 }
const smallLimits = { perMinute: 20, perDay: 1_000_000 }

/** Limits whose day bursts use up within the first hour. */
const shortDayLimits = { perMinute: 60, perDay: 100 }

/** Callers whose keys nobody changes. */
const unchangedCallers = [
  { actor: 'followers', limits: largeLimits, start: (world: World, own: Credential) => startFollower(world, own, 120) },
  { actor: 'followers', limits: largeLimits, start: (world: World, own: Credential) => startFollower(world, own, 30) },
  { actor: 'patient', limits: smallLimits, start: startPatient },
  { actor: 'patient', limits: smallLimits, start: startPatient },
  { actor: 'patient', limits: smallLimits, start: startPatient },
  { actor: 'flood', limits: fixedPlans.free, start: startFlood },
  { actor: 'flood', limits: shortDayLimits, start: startFlood },
] as const

const startUnchangedCallers = async (world: World, names: ReadonlySet<ActorName>, start: Start): Promise<void> => {
  for (const [index, { actor, limits, start: startCaller }] of unchangedCallers.entries()) {
    if (!names.has(actor)) continue
    const isSequential = actor === 'patient'
    const credential = await createCredential(world, `${actor} ${index}`, { plan: 'enterprise', limits, isSequential })
    start(credential.name, () => startCaller(world, credential))
  }
}
