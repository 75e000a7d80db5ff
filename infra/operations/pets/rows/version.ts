import { parseExactJson, stringifyExactJson } from '../../../../shared/exact-json.ts'
import { type Pet, parsePet, petFields } from '../../../../shared/pets/pet.ts'

/** What a row of a file was made from. */
export interface Version {
  /** As it was then, or as an import wrote the row of a new one. */
  readonly pet: Pet
  /** The import that gave a new pet its id. */
  readonly importId?: string | undefined
}

/** It begins with a letter: a spreadsheet takes 12e45 for a number. */
export const writeVersion = ({ pet, importId }: Version): string =>
  Buffer.from(stringifyExactJson({ ...pet, importId })).toString('base64url')

/** @returns undefined where the text is not one that was written */
export const readVersion = (text: string): Version | undefined => {
  try {
    const written = parseExactJson(Buffer.from(text, 'base64url').toString())
    const { importId, ...pet }: Record<string, unknown> = Object(written)
    return { pet: parsePet(pet), importId: importId === undefined ? undefined : String(importId) }
  } catch {
    return undefined
  }
}

export const isSamePet = (one: Pet | undefined, other: Pet | undefined): boolean =>
  petFields.every((field) => one?.[field] === other?.[field])
