import type { Attributes } from '../../../shared/dynamodb/conditional-write.ts'
import { stringifyExactJson } from '../../../shared/exact-json.ts'
import {
  assignPetId,
  type NewPet,
  newPetFields,
  type Pet,
  type PetFields,
  petFields,
} from '../../../shared/pets/pet.ts'
import { findPetFields, readStoredPet } from './pet-table.ts'

/** The desired state of one pet. */
export interface DesiredPet {
  /** Line number in the imported file. */
  readonly line?: number
  readonly id: bigint
  /**
   * State that the change was based on. If the pet has changed since, applying the change is a conflict. Undefined for
   * a row with an id and no version: then every change is a conflict, unless the rules allow it. An item that cannot be
   * read has a state too: its fields as they are.
   */
  readonly version: PetFields | undefined
  /** The pet to store; undefined removes the pet. */
  readonly pet: Pet | undefined
}

/** Rules for pets that are not in the state that the change was based on. */
export interface ChangeRules {
  /**
   * Whether the desired pets are a backup: a pet is added again under an id that has none, rather than reported as a
   * conflict, also if its row was not edited. With `overwrite`, rows that were not edited are written too.
   */
  readonly restore?: boolean | undefined
  /** Whether a pet is changed even if somebody else has changed it since, rather than reported as a conflict. */
  readonly overwrite?: boolean | undefined
}

/** All outcomes, in the order in which reports count them. */
export const outcomes = ['created', 'changed', 'restored', 'removed', 'unchanged', 'conflict'] as const

/**
 * Result of one change. `unchanged`: the pet already had the desired state, for example from an interrupted run, or
 * nothing was asked. `conflict`: somebody else was first, and nothing is written.
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
  /** The pet to store. It has the edited values, and otherwise those that the pet has now. */
  readonly newPet: Pet | undefined
}

const petGone = 'no pet has the id now: an import with --restore adds it'
const petChanged = 'somebody else has changed the pet'

/** Whether a row asks for anything. A row as it was exported does not, unless it is part of a backup. */
export const asksForChange = ({ restore = false }: ChangeRules, desired: DesiredPet): boolean =>
  restore || isEdited(desired)

/** Whether the desired state differs from the one that the change was based on. */
const isEdited = ({ version, pet }: DesiredPet): boolean => !isSamePet(pet, version)

/** Plans how one pet gets its desired state, given the current item of its id. */
export const planChange = (rules: ChangeRules, desired: DesiredPet, item: Attributes | undefined): PlannedChange => {
  const newPet = choosePet(rules, desired, item)
  const { outcome, reason } = decideOutcome(rules, desired, item, newPet)
  return { desired, outcome, reason, item, newPet }
}

/**
 * Chooses the pet to store: the desired one, but with the current values of the fields that were not edited. Without a
 * version, the fields that the row has count as edited, and the others keep their values. A backup with versions
 * restores all its values, and a pet that cannot be read has no values to keep.
 */
const choosePet = (
  { restore = false, overwrite = false }: ChangeRules,
  { id, version, pet }: DesiredPet,
  item: Attributes | undefined,
): Pet | undefined => {
  const current = readStoredPet(item)
  const isBackup = restore && overwrite && version !== undefined
  if (pet === undefined || isBackup || current?.kind !== 'read') return pet

  const values: Record<string, unknown> = { ...current.value }
  for (const field of newPetFields) {
    const isFieldEdited = !isSameValue(pet[field], version?.[field])
    if (isFieldEdited) values[field] = pet[field]
  }
  // Each value is that of a pet, for its own field.
  return assignPetId(id, values as unknown as NewPet)
}

interface Decision {
  readonly outcome: Outcome
  readonly reason?: string
}

const decideOutcome = (
  rules: ChangeRules,
  desired: DesiredPet,
  item: Attributes | undefined,
  newPet: Pet | undefined,
): Decision => {
  const { restore = false, overwrite = false } = rules
  const currentPet = findPetFields(item)
  if (currentPet === undefined) return decideMissingPet(rules, desired)

  const isAsked = isEdited(desired) || (restore && overwrite)
  if (!isAsked || isSamePet(currentPet, newPet)) return { outcome: 'unchanged' }

  const hasChanged = !isSamePet(currentPet, desired.version)
  if (hasChanged && !overwrite) return { outcome: 'conflict', reason: explainChange(item) }
  return { outcome: newPet === undefined ? 'removed' : 'changed' }
}

/** Decides about a pet that the id does not have. */
const decideMissingPet = ({ restore = false }: ChangeRules, desired: DesiredPet): Decision => {
  if (desired.pet === undefined) return { outcome: 'unchanged' }
  if (restore) return { outcome: 'restored' }
  return isEdited(desired) ? { outcome: 'conflict', reason: petGone } : { outcome: 'unchanged' }
}

const explainChange = (item: Attributes | undefined): string => {
  const reading = readStoredPet(item)
  return reading?.kind === 'malformed' ? `its item has no valid ${reading.attribute}` : petChanged
}

/** Whether two pets have the same fields. A removed pet (undefined) is the same only as another removed one. */
const isSamePet = (one: PetFields | undefined, other: PetFields | undefined): boolean =>
  petFields.every((field) => isSameValue(one?.[field], other?.[field]))

/** Whether two values are the same. A malformed field may be a list or a map. */
export const isSameValue = (one: unknown, other: unknown): boolean =>
  one === other || (typeof one === 'object' && stringifyExactJson(one) === stringifyExactJson(other))

/** Whether a change with this outcome writes the pet. */
export const isWrite = (outcome: Outcome): boolean => outcome !== 'unchanged' && outcome !== 'conflict'
