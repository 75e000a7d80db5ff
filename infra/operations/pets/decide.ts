import { newPetFields, type Pet, withId } from '../../../shared/pets/pet.ts'
import { printable } from '../../command-line/printable.ts'
import { type PetItem, restoreAttemptId } from './pet-items.ts'
import type { PetRow } from './rows/check-row.ts'
import { findOld, isAsOf, isSamePet, type Version } from './rows/version.ts'

/** A row that has an id and a version. */
export interface CompleteRow extends PetRow {
  readonly id: bigint
  readonly version: Version
}

/** What an import does with a row, whose pet is `pet`. */
export type Step = { readonly row: CompleteRow; readonly pet: Pet } & (
  | { readonly kind: 'create'; readonly attemptId: string }
  | { readonly kind: 'change'; readonly old: Pet }
  | { readonly kind: 'restore' | 'leave' }
  /** Somebody else has changed or removed the pet since the row was made: nothing is done. */
  | {
      readonly kind: 'conflict'
      readonly old: Pet | undefined
      readonly theirs: Pet | undefined
      /** Whether theirs is another pet, which has got the id of a new one. */
      readonly isTaken: boolean
    }
)

/**
 * What to do with a row, by what the table has under its id. An earlier import of the file may have done it.
 *
 * @param restores whether a row whose id no pet has is added under that id
 */
export const decide = (row: CompleteRow, item: PetItem | undefined, restores: boolean): Step => {
  const { version } = row
  const pet = withId(row.id, row.values)
  const theirs = item?.pet
  if (version.attemptId !== undefined) {
    if (item === undefined) return { kind: 'create', row, pet, attemptId: version.attemptId }
    const isOther = item.attemptId !== version.attemptId && item.attemptId !== restoreAttemptId
    if (isOther) return conflict(row, theirs, true)
    // The row was to add its pet, and did: what others did to the pet since is no matter of the row.
    if (isAsOf(pet, version) && (theirs !== undefined || !restores)) return { kind: 'leave', row, pet }
  }
  if (theirs === undefined) return restores ? { kind: 'restore', row, pet } : conflict(row, theirs)
  if (isSamePet(theirs, pet)) return { kind: 'leave', row, pet }
  return isAsOf(theirs, version) ? { kind: 'change', row, pet, old: theirs } : conflict(row, theirs)
}

export const conflict = (row: CompleteRow, theirs: Pet | undefined, isTaken = false): Step => {
  const pet = withId(row.id, row.values)
  return { kind: 'conflict', row, pet, old: isTaken ? undefined : findOld(row.version, pet, theirs), theirs, isTaken }
}

/** A pet in one line. Its name, which may be long, comes last. */
export const lineOf = (pet: Pet): string => `${pet.id}  ${valuesOf(pet)}`

const valuesOf = (pet: Pet): string =>
  newPetFields
    .filter((field) => field !== 'name' && pet[field] !== undefined)
    .map((field) => `${field.replace(/Id$/, '')} ${printable(String(pet[field]))}`.padEnd(16))
    .concat(printable(pet.name))
    .join('  ')

/** What an import would do with a row, or did. */
export const describeStep = (step: Step): { readonly json: object; readonly text: string } => {
  const { kind, pet, row } = step
  const { line, id } = row
  if (kind === 'conflict') {
    const { old = null, theirs = null } = step
    const lines = [
      `line ${line}: ${whatHappened(step)}`,
      `old:    ${old === null ? 'not known' : valuesOf(old)}`,
      `theirs: ${theirs === null ? 'removed' : valuesOf(theirs)}`,
      `yours:  ${valuesOf(pet)}`,
    ]
    return { json: { line, action: kind, id, old, theirs, yours: pet }, text: lines.join('\n  ') }
  }
  const old = kind === 'change' ? step.old : null
  const before = old === null ? '' : `\n  before: ${lineOf(old)}`
  const isNew = kind === 'create'
  return {
    json: { line, action: kind, old, new: isNew ? row.values : pet },
    text: `line ${line}: ${kind}  ${isNew ? valuesOf(pet) : lineOf(pet)}${before}`,
  }
}

const whatHappened = ({ row: { id }, theirs, isTaken }: Step & { readonly kind: 'conflict' }): string => {
  if (isTaken) return `another pet has got the id ${id}: empty the id and the version of the row, and import it`
  return `somebody else has ${theirs === undefined ? 'removed' : 'changed'} the pet ${id}: it is left as it is`
}
