/** `npm run pets -- restore`: sets pets to what an export has. */
import { isDeepStrictEqual } from 'node:util'
import type { Attributes } from '../../../shared/dynamodb/conditional-write.ts'
import { newPetFields } from '../../../shared/pets/pet.ts'
import type { Report } from '../../command-line/report.ts'
import type { Rule } from '../changes/engine.ts'
import { reportChanges } from '../changes/report.ts'
import {
  fileFields,
  fileStatuses,
  isInState,
  maximumNumberLength,
  type Origin,
  type PetState,
  readOrigin,
  readPetState,
  sourcePattern,
} from '../changes/stored-pet.ts'
import { toComparingForm } from '../files/comparing-form.ts'
import { type JsonLine, readJsonLines } from '../files/json-lines.ts'
import { checkField, describeValue, parsePetId, petIdRule } from '../files/pet-fields.ts'
import { nameFile } from '../files/read-file.ts'
import { RefusedFileError } from '../files/refused-file-error.ts'
import { type ChangeRequest, changePets } from './change-pets.ts'

/** A pet as an export has it. */
interface ExportedPet {
  readonly line: number
  readonly id: bigint
  readonly state: PetState
  readonly origin: Origin | undefined
}

/**
 * Restores each row of an export: the pet becomes as the row has it, with what its file said, also over later changes.
 * A removed pet returns under its id. The same file can be restored again after any failure.
 *
 * @param file absolute path, or `-` for standard input
 */
export const restorePets = async (request: ChangeRequest, file: string): Promise<Report> => {
  const pets = readExport(nameFile(file), await readJsonLines(file))
  const wishes = pets.map(({ id, line, origin, state }) => ({
    id,
    line,
    origin,
    rule: createRestoreRule(state, origin),
  }))
  const plans = await changePets(request, 'pets restore', wishes)
  return reportChanges(plans, { isDryRun: request.operator === undefined })
}

const createRestoreRule =
  (state: PetState, origin: Origin | undefined): Rule =>
  (stored) => {
    if (stored === undefined) return { kind: 'write', state }
    if (origin !== undefined && !isDeepStrictEqual(origin, stored.origin)) {
      return { kind: 'conflict', reason: describeOrigin(stored.origin) }
    }
    return isInState(stored, state) ? { kind: 'unchanged' } : { kind: 'write', state }
  }

const describeOrigin = (origin: Origin | undefined): string =>
  origin === undefined ? 'the pet comes from no file' : `the pet is number ${origin.number} of ${origin.source}`

/**
 * Reads the rows of an export.
 *
 * @throws RefusedFileError that names the mistakes of all rows
 */
const readExport = (subject: string, lines: readonly JsonLine[]): readonly ExportedPet[] => {
  const earlierLines = new Map<string, number>()
  const mistakes = lines.flatMap((row) => {
    const found = [...findMistakes(row.values), ...findRepetitions(row, earlierLines)]
    return found.map((mistake) => `line ${row.line}: ${mistake}.`)
  })
  if (mistakes.length > 0) throw new RefusedFileError(subject, mistakes)
  return lines.flatMap(({ line, values }) => {
    const state = readPetState(values)
    // `findMistakes` has found what could not be read.
    if (state.kind === 'malformed') return []
    return [{ line, id: BigInt(String(values['id'])), state, origin: readOrigin(values) }]
  })
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

const knownNames: readonly string[] = ['id', ...newPetFields, 'source', 'number', 'file', 'removed']

/** Finds the mistakes of a row, as sentences without their full stops. */
const findMistakes = (values: Attributes): readonly string[] => {
  const { id, source, number, removed, file } = values
  const unknownNames = Object.keys(values).filter((name) => !knownNames.includes(name))
  const hasId = parsePetId(String(id)) !== undefined
  const hasOrigin = (source === undefined && number === undefined) || isOrigin(readOrigin(values))
  return [
    ...unknownNames.map((name) => `${name} is no field of a pet`),
    ...(hasId ? [] : [`id must be ${petIdRule}; it is ${describeValue(id)}`]),
    ...findFieldMistakes(values),
    ...(hasOrigin ? [] : ['source and number belong together, and must be as a nightly file has them']),
    ...(removed === undefined || removed === 'by hand' || removed === 'by source'
      ? []
      : ['removed must be "by hand" or "by source"']),
    ...findFileMistakes(file),
  ]
}

/** Whether a nightly file can have a source and number, which is in the comparing form there. */
const isOrigin = (origin: Origin | undefined): boolean => {
  if (origin === undefined || !new RegExp(sourcePattern).test(origin.source)) return false
  const { length } = [...origin.number]
  return length >= 1 && length <= maximumNumberLength && toComparingForm(origin.number) === origin.number
}

const findFieldMistakes = (values: Attributes): readonly string[] =>
  newPetFields.flatMap((field) => {
    // A removed pet has no status, and a removed pet without a source has no field at all.
    if (values['removed'] !== undefined && values[field] === undefined) return []
    const { mistake } = checkField(field, values[field])
    return mistake === undefined ? [] : [`${field} ${mistake}`]
  })

const findFileMistakes = (file: unknown): readonly string[] => {
  if (file === undefined) return []
  if (typeof file !== 'object' || file === null) return ['file must be an object']
  return Object.entries(file).flatMap(([name, value]) => findFileMistake(name, value) ?? [])
}

const findFileMistake = (name: string, value: unknown): string | undefined => {
  const field = fileFields.find((one) => one === name)
  if (field === undefined) return `file has no ${name}`
  if (field === 'status') {
    const isStatus = fileStatuses.some((status) => status === value)
    return isStatus ? undefined : `status of file must be one of ${fileStatuses.join(', ')}`
  }
  const { mistake } = checkField(field, value)
  return mistake === undefined ? undefined : `${name} of file ${mistake}`
}
