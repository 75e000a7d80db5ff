import { createHash } from 'node:crypto'
import { stringifyExactJson } from '../../../../shared/exact-json.ts'
import { newPetFields, type Pet, petFields, petStatuses, withId } from '../../../../shared/pets/pet.ts'

/**
 * What a row of a file was made from: a hash of the pet at that moment. A letter comes first, as a spreadsheet takes 12e45 for
 * a number. Before it stands the import that gave the row its id, to add it as a new pet.
 */
export type Version = `v${string}` | `import-${string}-v${string}`

export const versionOf = (pet: Pet): Version => {
  const hash = createHash('sha256').update(stringifyExactJson(withId(pet.id, pet)))
  return `v${hash.digest('hex').slice(0, 12)}`
}

export const isVersion = (text: string): text is Version => /^(import-[0-9a-f]{16}-)?v[0-9a-f]{12}$/.test(text)

export const isOfNewPet = (version: Version): boolean => version.startsWith('import-')

export const isAsOf = (pet: Pet, version: Version): boolean => version.endsWith(versionOf(pet))

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
