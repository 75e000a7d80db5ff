/**
 * Plans of changes. A command has a wish for each pet: which pet, and a rule. With the pet as it was read, the rule
 * decides what becomes of it. The plan is the wish with this decision. Nothing is written here.
 */
import { isDeepStrictEqual } from 'node:util'
import { systemClock } from '../../../shared/clock.ts'
import { drawPetId } from '../../../shared/pets/add-pet.ts'
import { startProgress } from '../../command-line/progress.ts'
import { findItems, keysPerLookup } from '../environment/batch-get.ts'
import type { TableAccess } from '../environment/open-environment.ts'
import { findPetIds, formatOrigin } from './number-index.ts'
import type { ChangeId } from './record.ts'
import { type Origin, type PetState, readStoredPet, type StoredPet } from './stored-pet.ts'

/** The request of a command for one pet. */
export interface Wish {
  /** The id of the pet. Without it the pet is found by `origin`, or added with a new id. */
  readonly id?: bigint | undefined
  /** Source and number that the pet must have, or gets if it is created. */
  readonly origin?: Origin | undefined
  /** Number of the line of the operator's file that asks for the change. */
  readonly line?: number | undefined
  readonly rule: Rule
}

/**
 * Decides what becomes of a pet. A rule is pure: it is asked again if somebody changes the pet meanwhile.
 *
 * @param stored the pet as it was read; undefined if no item has the id
 * @param id the id under which the pet is, or would be, stored
 */
export type Rule = (stored: StoredPet | undefined, id: bigint) => Decision

/** The decision to leave a pet as it is, although the command asks for something else. */
export interface Conflict {
  readonly kind: 'conflict'
  /** Why the pet stays as it is, as a part of a sentence. */
  readonly reason: string
}

export type Decision = { readonly kind: 'unchanged' } | Conflict | { readonly kind: 'write'; readonly state: PetState }

/** A wish with the pet as it was read, and what the rule has decided about it. */
export interface Plan {
  readonly wish: Wish
  readonly id: bigint
  readonly stored: StoredPet | undefined
  readonly decision: Decision
  /** The id of the change; undefined until the change is made. */
  readonly changeId?: ChangeId
}

/** Reads the pets of wishes, and asks the rules. Nothing is written: this is the whole of a dry run. */
export async function* planChanges(environment: TableAccess, wishes: readonly Wish[]): AsyncGenerator<Plan> {
  const progress = startProgress('pets read', wishes.length)
  for (let begin = 0; begin < wishes.length; begin += keysPerLookup) {
    const batch = wishes.slice(begin, begin + keysPerLookup)
    yield* await planBatch(environment, batch)
    progress.count(batch.length)
  }
}

/** Plans one batch of wishes. */
export const planBatch = async (environment: TableAccess, wishes: readonly Wish[]): Promise<readonly Plan[]> => {
  const { database, tables } = environment
  const idsByOrigin = await findPetIds(
    environment,
    wishes.flatMap(({ id, origin }) => (id === undefined && origin !== undefined ? [origin] : [])),
  )
  // Callers of the API list pets by their ids: ids that follow each other list new animals in the order of their file.
  const firstNewId = drawPetId(systemClock())
  const identified = wishes.map((wish, index) => {
    const id = wish.id ?? (wish.origin && idsByOrigin.get(formatOrigin(wish.origin)))
    return { wish, isNew: id === undefined, id: id ?? firstNewId + BigInt(index) }
  })
  // A new id has no item yet, so it is not looked up.
  const keys = identified.filter(({ isNew }) => !isNew).map(({ id }) => ({ id }))
  const items = await findItems(database, tables.pets, keys)
  const pets = new Map(items.map(readStoredPet).map((stored) => [stored.id, stored]))

  const plans = identified.map(({ wish, id }): Plan => {
    const stored = pets.get(id)
    return { wish, id, stored, decision: findOriginConflict(wish, stored) ?? wish.rule(stored, id) }
  })
  return refuseTakenNumbers(environment, plans)
}

/** Finds the conflict of a wish whose source and number are not those of the pet. */
const findOriginConflict = ({ origin }: Wish, stored: StoredPet | undefined): Conflict | undefined => {
  if (origin === undefined || stored === undefined || isDeepStrictEqual(origin, stored.origin)) return undefined
  const { id, origin: storedOrigin } = stored
  return {
    kind: 'conflict',
    reason: storedOrigin === undefined ? `pet ${id} comes from no file` : describeOwner(id, storedOrigin),
  }
}

/** Turns each plan that would create a pet with the number of another pet into a conflict. */
const refuseTakenNumbers = async (environment: TableAccess, plans: readonly Plan[]): Promise<readonly Plan[]> => {
  const origins = plans.flatMap((plan) => findUncheckedOrigin(plan) ?? [])
  const idsByOrigin = await findPetIds(environment, origins)
  return plans.map((plan) => {
    const origin = findUncheckedOrigin(plan)
    const takenBy = origin && idsByOrigin.get(formatOrigin(origin))
    if (origin === undefined || takenBy === undefined || takenBy === plan.id) return plan
    return { ...plan, decision: { kind: 'conflict', reason: describeOwner(takenBy, origin) } }
  })
}

const describeOwner = (id: bigint, { source, number }: Origin): string => `pet ${id} is number ${number} of ${source}`

/**
 * Finds the source and number with which a plan creates a pet under the id of its wish. Such a plan is unchecked: a
 * wish with an id was looked up by the id, so another pet may have the number. A wish without an id was looked up by
 * the number.
 */
const findUncheckedOrigin = ({ wish, stored, decision }: Plan): Origin | undefined =>
  wish.id !== undefined && stored === undefined && decision.kind === 'write' ? wish.origin : undefined
