/** Settings of a source: how the files that one shelter's software writes become animals of this service. */
import { readFileSync } from 'node:fs'
import { Ajv, type ErrorObject } from 'ajv'
import { LineCounter, parseDocument } from 'yaml'
import { isInt64 } from '../../../../shared/int64.ts'
import { type PetStatus, petStatuses } from '../../../../shared/pets/pet.ts'
import { makePrintable } from '../../../command-line/printable.ts'
import { describeReadError } from '../../../command-line/read-error.ts'
import { UsageError } from '../../../command-line/user-error.ts'

/** Facts about an animal that columns of the file give. */
export const mappedColumns = ['reference', 'name', 'category', 'status'] as const

export type MappedColumn = (typeof mappedColumns)[number]

/**
 * Status of an animal at its shelter. An animal that is `hidden` is in the file, but not in the list of this service.
 */
export type ShelterStatus = PetStatus | 'hidden'

export interface SourceSettings {
  /** Name of the source, such as `elm-street`. It stays when a file is renamed. */
  readonly source: string
  /** Name of each mapped column in the header of the file. */
  readonly columns: Readonly<Record<MappedColumn, string>>
  /** Category by the shelter's word. */
  readonly categories: ReadonlyMap<string, bigint>
  /** Status by the shelter's word. */
  readonly statuses: ReadonlyMap<string, ShelterStatus>
  /** The fate of an animal that is no longer in the file. */
  readonly missing: 'remove' | 'sold'
  /** Encoding of a file without a byte order mark, as the Encoding Standard names it. Default: `utf-8`. */
  readonly encoding?: string
}

const maximumNameLength = 64

/** The schema of the settings. Each description ends the sentence about a mistake: `source must be ...`. */
const schema = {
  type: 'object',
  description: 'a list of settings, each with its name',
  required: ['source', 'columns', 'categories', 'statuses', 'missing'],
  additionalProperties: false,
  properties: {
    source: {
      type: 'string',
      pattern: '^[a-z0-9-]+$',
      maxLength: maximumNameLength,
      description: `at most ${maximumNameLength} lower-case letters, digits and hyphens`,
    },
    columns: {
      type: 'object',
      description: `the names of the columns of the file for ${mappedColumns.join(', ')}`,
      required: mappedColumns,
      additionalProperties: false,
      properties: Object.fromEntries(
        mappedColumns.map((column) => [
          column,
          { type: 'string', pattern: '\\S', description: 'the name of a column of the file' },
        ]),
      ),
    },
    categories: {
      type: 'object',
      description: 'a category id for each word of the shelter',
      minProperties: 1,
      additionalProperties: { isCategoryId: true, description: 'a category id, which is a 64-bit integer' },
    },
    statuses: {
      type: 'object',
      description: 'a status for each word of the shelter',
      minProperties: 1,
      additionalProperties: {
        enum: [...petStatuses, 'hidden'],
        description: `one of ${petStatuses.join(', ')}, hidden`,
      },
    },
    missing: { enum: ['remove', 'sold'], description: 'remove or sold' },
    encoding: { type: 'string', format: 'encoding', description: 'the name of an encoding, such as windows-1252' },
  },
} as const

const isEncoding = (label: string): boolean => {
  try {
    new TextDecoder(label)
    return true
  } catch {
    return false
  }
}

/**
 * Reads the settings of a source.
 *
 * @throws UsageError that has a sentence for each mistake
 */
export const readSettings = (file: string): SourceSettings => parseSettings(readText(file))

const readText = (file: string): string => {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new UsageError(`The settings are not read. ${describeReadError(file, error)}`)
  }
}

/**
 * Parses the settings of a source.
 *
 * @throws UsageError that has a sentence for each mistake
 */
export const parseSettings = (text: string): SourceSettings => {
  // A category id may be beyond 2^53.
  const lines = new LineCounter()
  const document = parseDocument(text, { intAsBigInt: true, prettyErrors: false, lineCounter: lines })
  if (document.errors.length > 0) {
    throw createMistakes(document.errors.map(({ message, pos }) => `Line ${lines.linePos(pos[0]).line}: ${message}`))
  }
  const settings: unknown = document.toJS()

  const ajv = new Ajv({ allErrors: true, verbose: true })
  ajv.addKeyword({
    keyword: 'isCategoryId',
    validate: (_rule: unknown, value: unknown) => typeof value === 'bigint' && isInt64(value),
  })
  ajv.addFormat('encoding', isEncoding)
  const validate = ajv.compile<RawSettings>(schema)
  if (!validate(settings)) throw createMistakes([...new Set((validate.errors ?? []).map(describeMistake))])

  const { categories, statuses, columns, ...rest } = settings
  return {
    ...rest,
    columns: trimNames(columns),
    categories: new Map(Object.entries(categories)),
    statuses: new Map(Object.entries(statuses)),
  }
}

/** The settings as YAML has them. */
type RawSettings = Omit<SourceSettings, 'categories' | 'statuses'> & {
  readonly categories: Readonly<Record<string, bigint>>
  readonly statuses: Readonly<Record<string, ShelterStatus>>
}

const trimNames = ({ reference, name, category, status }: SourceSettings['columns']): SourceSettings['columns'] => ({
  reference: reference.trim(),
  name: name.trim(),
  category: category.trim(),
  status: status.trim(),
})

const createMistakes = (mistakes: readonly string[]): UsageError =>
  new UsageError(['Correct the settings.', ...mistakes.map((mistake) => makePrintable(`${mistake}.`))].join('\n'))

/** Describes a mistake as a sentence without its full stop. */
const describeMistake = ({ instancePath, params, parentSchema }: ErrorObject): string => {
  // A JSON pointer writes ~1 for a slash and ~0 for a tilde.
  const path = instancePath
    .slice(1)
    .split('/')
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
  const nameOf = (name: string): string => [...path, name].filter((part) => part !== '').join('.')
  if (typeof params['missingProperty'] === 'string') return `${nameOf(params['missingProperty'])} is missing`
  if (typeof params['additionalProperty'] === 'string') return `${nameOf(params['additionalProperty'])} is no setting`
  return `${nameOf('') || 'The file'} must be ${parentSchema?.['description']}`
}
