/** `npm run pets -- restore`: sets pets to what an export has. */
import { isDeepStrictEqual } from 'node:util'
import type { Attributes } from '../../../shared/dynamodb/conditional-write.ts'
import { newPetFields } from '../../../shared/pets/pet.ts'
import type { Report } from '../../command-line/report.ts'
import { planChanges, type Rule } from '../changes/plan-changes.ts'
import {
  formatPetState,
  isInState,
  maximumNumberLength,
  type Origin,
  type PetState,
  readOrigin,
  readPetState,
  type StoredPet,
  sourcePattern,
} from '../changes/stored-pet.ts'
import { toComparingForm } from '../files/comparing-form.ts'
import { type JsonLine, readJsonLines } from '../files/json-lines.ts'
import { checkField, parsePetId, petIdRule, quoteValue } from '../files/pet-fields.ts'
import { nameFile, RefusedFileError } from '../files/read-file.ts'
import { type ChangeRequest, finishChanges } from './edit-pets.ts'

interface ExportedPet {
  readonly line: number
  readonly id: bigint
  readonly state: PetState
  readonly origin: Origin | undefined
}

/**
 * Sets each pet of an export to its line, also over later changes. The hash of its row in the shelter's file is
 * restored too, so the next night compares its file with that row. A removed pet returns under its id. Pets that were
 * added since the export stay. The same file can be restored again after any failure.
 *
 * @param file absolute path, or `-` for standard input
 */
export const restorePets = async (request: ChangeRequest, file: string): Promise<Report> => {
  const pets = readExport(nameFile(file), await readJsonLines(file))
  const wishes = pets.map(({ state, ...pet }) => ({ ...pet, rule: createRestoreRule(state) }))
  const plans = await Array.fromAsync(planChanges(request.environment, wishes))
  return finishChanges(request, 'pets restore', plans)
}

export const createRestoreRule =
  (state: PetState): Rule =>
  (stored) =>
    stored !== undefined && isInState(stored, state) ? { kind: 'unchanged' } : { kind: 'write', state }

/**
 * Reads the rows of an export.
 *
 * @throws RefusedFileError that names the mistakes of all rows
 */
const readExport = (subject: string, lines: readonly JsonLine[]): readonly ExportedPet[] => {
  const earlierLines = new Map<string, number>()
  const mistakes: string[] = []
  const pets: ExportedPet[] = []
  for (const row of lines) {
    const reading = readRow(row)
    const found = findRepetitions(row, earlierLines)
    if (reading.kind === 'read') pets.push(reading.pet)
    else found.unshift(reading.mistake)
    mistakes.push(...found.map((mistake) => `line ${row.line}: ${mistake}.`))
  }
  if (mistakes.length > 0) throw new RefusedFileError(subject, mistakes)
  return pets
}

/** Finds the id and the number that an earlier row has too. @returns sentences without their full stops */
const findRepetitions = ({ line, values }: JsonLine, earlierLines: Map<string, number>): string[] => {
  const origin = readOrigin(values)
  const names = [`id ${values['id']}`, ...(origin === undefined ? [] : [`number ${origin.number} of ${origin.source}`])]
  return names.flatMap((name) => {
    const earlierLine = earlierLines.get(name)
    earlierLines.set(name, line)
    return earlierLine === undefined ? [] : [`the ${name} is in line ${earlierLine} too`]
  })
}

/** The pet of a row, or the first mistake of the row, as a sentence without its full stop. */
type RowReading =
  | { readonly kind: 'read'; readonly pet: ExportedPet }
  | { readonly kind: 'mistaken'; readonly mistake: string }

const mistaken = (mistake: string): RowReading => ({ kind: 'mistaken', mistake })

const readRow = ({ line, values }: JsonLine): RowReading => {
  const id = parsePetId(String(values['id']))
  if (id === undefined) return mistaken(`id must be ${petIdRule}; it is ${quoteValue(values['id'])}`)
  const origin = readOrigin(values)
  // The row of a pet without a source has neither source nor number.
  if (!isOrigin(origin) && (values['source'] ?? values['number']) !== undefined) {
    return mistaken('source and number belong together, and must be as a nightly file has them')
  }
  const state = readPetState(values)
  const fieldMistake = findFieldMistake(values, state)
  if (fieldMistake !== undefined) return mistaken(fieldMistake)
  if (state.kind === 'malformed') return mistaken(`${state.attribute} is not as "pets export" writes it`)

  // A row is as an export writes it if an export of the state that was read from it would write the same.
  const written: Attributes = { ...formatPetState(id, state, origin), ...origin }
  const wrongName = Object.keys({ ...values, ...written }).find(
    (name) => !isDeepStrictEqual(written[name], values[name]),
  )
  if (wrongName !== undefined) return mistaken(`${wrongName} is not as "pets export" writes it`)
  return { kind: 'read', pet: { line, id, state, origin } }
}

/** Whether a nightly file can have this source and number. Numbers of nightly files are in the comparing form. */
const isOrigin = (origin: Origin | undefined): boolean => {
  if (origin === undefined || !new RegExp(sourcePattern).test(origin.source)) return false
  const { length } = [...origin.number]
  return length >= 1 && length <= maximumNumberLength && toComparingForm(origin.number) === origin.number
}

/** Finds the first field of a pet that the contract does not allow. */
const findFieldMistake = (values: Attributes, state: StoredPet['state']): string | undefined => {
  for (const field of newPetFields) {
    // A removed pet has no status, and a removed pet without a source has no field at all.
    if (state.kind === 'removed' && values[field] === undefined) continue
    const check = checkField(field, values[field])
    if (check.kind === 'mistaken') return `${field} ${check.mistake}`
  }
  return undefined
}
