import { createHash } from 'node:crypto'
import { stringifyExactJson } from '../../../../shared/exact-json.ts'
import { newPetFields, type Pet, petFields, petStatuses, withId } from '../../../../shared/pets/pet.ts'

/** What a row of a file was made from. */
export interface Version {
  /** Of the pet's fields at that moment. */
  readonly hash: string
  /** Of an import that gave the row its id, to add it as a new pet. */
  readonly attemptId: string | undefined
}

/** The version of a pet that is exported. A letter comes first: a spreadsheet takes 12e45 for a number. */
export const versionOf = (pet: Pet, attemptId?: string): Version => {
  const hash = createHash('sha256')
    .update(stringifyExactJson(withId(pet.id, pet)))
    .digest('hex')
  return { hash: `v${hash.slice(0, 12)}`, attemptId }
}

export const writeVersion = ({ hash, attemptId }: Version): string =>
  attemptId === undefined ? hash : `${attemptId}-${hash}`

/** @returns undefined for a text that `writeVersion` did not return */
export const readVersion = (text: string): Version | undefined => {
  const [, attemptId, hash] = /^(?:(import-[0-9a-f]{16})-)?(v[0-9a-f]{12})$/.exec(text) ?? []
  return hash === undefined ? undefined : { hash, attemptId }
}

export const isAsOf = (pet: Pet, { hash }: Version): boolean => versionOf(pet).hash === hash

export const isSamePet = (one: Pet | undefined, other: Pet | undefined): boolean =>
  petFields.every((field) => one?.[field] === other?.[field])

/**
 * The pet that a version is of, after two people have changed it. A field that one of them left alone still has its old value
 * there, so some mixture of both pets is the old one. `undefined` where both changed the same field.
 */
export const findOld = (version: Version, yours: Pet, theirs: Pet = yours): Pet | undefined => {
  let mixtures: readonly Pet[] = [yours]
  for (const field of newPetFields) {
    const values = new Set([yours[field], theirs[field], ...(field === 'status' ? petStatuses : [])])
    mixtures = mixtures.flatMap((pet) => [...values].map((value) => ({ ...pet, [field]: value })))
  }
  return mixtures.find((pet) => isAsOf(pet, version))
}
