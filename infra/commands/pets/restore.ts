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

/** A pet as an export has it. */
interface ExportedPet {
  readonly line: number
  readonly id: bigint
  readonly state: PetState
  readonly origin: Origin | undefined
}

/**
 * Restores each line of an export: the pet becomes as the line has it, with what its file said, also over later changes.
 * Pets that were added since the export stay.
 * A removed pet returns under its id. The same file can be restored again after any failure.
 *
 * @param file absolute path, or `-` for standard input
 */
export const restorePets = async (request: ChangeRequest, file: string): Promise<Report> => {
  const pets = readExport(nameFile(file), await readJsonLines(file))
  const wishes = pets.map(({ state, ...pet }) => ({ ...pet, rule: createRestoreRule(state) }))
  const plans = await Array.fromAsync(planChanges(request.environment, wishes))
  return finishChanges(request, 'pets restore', plans)
}

/** Creates the rule that sets a pet to a state. */
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
  const pets = lines.flatMap((row) => {
    const pet = readRow(row)
    const found = [...(typeof pet === 'string' ? [pet] : []), ...findRepetitions(row, earlierLines)]
    mistakes.push(...found.map((mistake) => `line ${row.line}: ${mistake}.`))
    return typeof pet === 'string' ? [] : [pet]
  })
  if (mistakes.length > 0) throw new RefusedFileError(subject, mistakes)
  return pets
}

/** Finds the id, and the number, that an earlier row has too. */
const findRepetitions = ({ line, values }: JsonLine, earlierLines: Map<string, number>): readonly string[] => {
  const origin = readOrigin(values)
  const names = [`id ${values['id']}`, ...(origin === undefined ? [] : [`number ${origin.number} of ${origin.source}`])]
  return names.flatMap((name) => {
    const earlierLine = earlierLines.get(name)
    earlierLines.set(name, line)
    return earlierLine === undefined ? [] : [`the ${name} is in line ${earlierLine} too`]
  })
}

/**
 * Reads a row. It is as an export writes it if it equals what is written of the state that is read from it.
 *
 * @returns the pet, or the first mistake, as a sentence without its full stop
 */
const readRow = ({ line, values }: JsonLine): ExportedPet | string => {
  const id = parsePetId(String(values['id']))
  if (id === undefined) return `id must be ${petIdRule}; it is ${quoteValue(values['id'])}`
  const origin = readOrigin(values)
  if (!isOrigin(origin) && (values['source'] ?? values['number']) !== undefined) {
    return 'source and number belong together, and must be as a nightly file has them'
  }
  const state = readPetState(values)
  const [fieldMistake] = findFieldMistakes(values, state)
  if (fieldMistake !== undefined) return fieldMistake
  if (state.kind === 'malformed') return `${state.attribute} is not as "pets export" writes it`
  const written: Attributes = { ...formatPetState(id, state, origin), ...origin }
  const name = Object.keys({ ...values, ...written }).find((one) => !isDeepStrictEqual(written[one], values[one]))
  return name === undefined ? { line, id, state, origin } : `${name} is not as "pets export" writes it`
}

/** Whether a nightly file can have a source and number, which is in the comparing form there. */
const isOrigin = (origin: Origin | undefined): boolean => {
  if (origin === undefined || !new RegExp(sourcePattern).test(origin.source)) return false
  const { length } = [...origin.number]
  return length >= 1 && length <= maximumNumberLength && toComparingForm(origin.number) === origin.number
}

/** Finds the fields of a pet that the contract does not allow. */
const findFieldMistakes = (values: Attributes, state: StoredPet['state']): readonly string[] => {
  // A removed pet has no status, and a removed pet without a source has no field at all.
  const fields = newPetFields.filter((field) => state.kind !== 'removed' || values[field] !== undefined)
  return fields.flatMap((field) => {
    const { mistake } = checkField(field, values[field])
    return mistake === undefined ? [] : [`${field} ${mistake}`]
  })
}
