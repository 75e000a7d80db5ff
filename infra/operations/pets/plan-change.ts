import type { Attributes } from '../../../shared/dynamodb/conditional-write.ts'
import { stringifyExactJson } from '../../../shared/exact-json.ts'
import { type Pet, type PetFields, petFields } from '../../../shared/pets/pet.ts'
import { findPetFields, readStoredPet } from '../../../shared/pets/pet-table.ts'
import type { Version } from './rows/format.ts'

/** State of a pet. An item that cannot be read has a state too: its fields as they are. */
type PetVersion = PetFields & Pick<Version, 'importId'>

/** The desired state of one pet. */
export interface DesiredPet {
  /** Line number in the imported file. */
  readonly line?: number
  readonly id: bigint
  /**
   * State that the change was based on. If the pet has changed since, applying the change is a conflict. Undefined for
   * a row with an id and no version: then every change is a conflict, unless the rules allow it.
   */
  readonly version: PetVersion | undefined
  /** The pet to store; undefined removes the pet. */
  readonly pet: Pet | undefined
}

/** Rules for ids whose current state is not the one that the change was based on. */
export interface ChangeRules {
  /** Whether a pet is added again under an id that has none, rather than reported as a conflict. */
  readonly restore?: boolean | undefined
  /** Whether a pet is changed even if somebody else has changed it since, rather than reported as a conflict. */
  readonly overwrite?: boolean | undefined
}

/** All outcomes, in the order in which reports count them. */
export const outcomes = ['created', 'changed', 'restored', 'removed', 'unchanged', 'conflict'] as const

/**
 * Result of one change. `unchanged`: the pet already had the desired state, for example from an interrupted run.
 * `conflict`: somebody else was first, and nothing is written.
 */
export type Outcome = (typeof outcomes)[number]

/** A change of one pet that is planned on the item that was looked up. */
export interface PlannedChange {
  readonly desired: DesiredPet
  readonly outcome: Outcome
  /** Reason of a conflict. */
  readonly reason: string | undefined
  /** The current item of the id; undefined if the id has none. */
  readonly item: Attributes | undefined
}

const idTaken = 'another pet has got the id. Empty the id and the version of the row, and import it'
const petGone = 'no pet has the id now: an import with --restore adds it'
const petChanged = 'somebody else has changed the pet'

/** Plans how one pet gets its desired state, given the current item of its id. */
export const planChange = (rules: ChangeRules, desired: DesiredPet, item: Attributes | undefined): PlannedChange => {
  const { outcome, reason } = decideOutcome(rules, desired, item)
  return { desired, outcome, reason, item }
}

interface Decision {
  readonly outcome: Outcome
  readonly reason?: string
}

const decideOutcome = (rules: ChangeRules, desired: DesiredPet, item: Attributes | undefined): Decision => {
  const hasImportedId = desired.version?.importId !== undefined
  const decision = hasImportedId ? decideImportedId(rules, desired, item) : undefined
  return decision ?? decideExistingPet(rules, desired, item)
}

/**
 * Decides about a pet to which an import has given its id.
 *
 * @returns undefined if an earlier run has added the pet, and it must be changed or restored like any existing pet
 */
const decideImportedId = (
  { restore = false }: ChangeRules,
  { version, pet }: DesiredPet,
  item: Attributes | undefined,
): Decision | undefined => {
  if (item === undefined) return { outcome: 'created' }
  // An import stores its `importId` as the `attemptId` of each pet that it adds.
  if (item['attemptId'] !== version?.importId) return { outcome: 'conflict', reason: idTaken }

  // An earlier run has added the pet. A row that was edited since changes it like any existing pet.
  const isRowEdited = !isSamePet(pet, version)
  if (isRowEdited) return undefined

  // A removed pet leaves an item without pet fields.
  const isRemoved = readStoredPet(item) === undefined
  if (isRemoved && restore) return undefined

  // A row that nobody has edited leaves the pet as others have changed or removed it.
  return { outcome: 'unchanged' }
}

const decideExistingPet = (
  { restore = false, overwrite = false }: ChangeRules,
  { version, pet }: DesiredPet,
  item: Attributes | undefined,
): Decision => {
  const currentPet = findPetFields(item)
  if (isSamePet(currentPet, pet)) return { outcome: 'unchanged' }
  if (currentPet === undefined) {
    return restore ? { outcome: 'restored' } : { outcome: 'conflict', reason: petGone }
  }
  const hasChanged = !isSamePet(currentPet, version)
  if (hasChanged && !overwrite) return { outcome: 'conflict', reason: explainChange(item) }
  return { outcome: pet === undefined ? 'removed' : 'changed' }
}

const explainChange = (item: Attributes | undefined): string => {
  const reading = readStoredPet(item)
  return reading?.kind === 'malformed' ? `its item has no valid ${reading.attribute}` : petChanged
}

/** Whether two pets have the same fields. A removed pet (undefined) is the same only as another removed one. */
const isSamePet = (one: PetFields | undefined, other: PetFields | undefined): boolean =>
  petFields.every((field) => isSameValue(one?.[field], other?.[field]))

/** Whether two values are the same. A malformed field may be a list or a map. */
const isSameValue = (one: unknown, other: unknown): boolean =>
  one === other || (typeof one === 'object' && stringifyExactJson(one) === stringifyExactJson(other))

/** Whether a change with this outcome writes the pet. */
export const isWrite = (outcome: Outcome): boolean => outcome !== 'unchanged' && outcome !== 'conflict'
