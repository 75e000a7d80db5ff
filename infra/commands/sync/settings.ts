/** Settings of a source: how the files that one shelter's software writes become animals of this service. */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { Ajv, type ErrorObject } from 'ajv'
import { parseInt64 } from '../../../shared/int64.ts'
import { petStatuses } from '../../../shared/pets/pet.ts'
import { makePrintable } from '../../command-line/printable.ts'
import { UsageError } from '../../command-line/user-error.ts'
import { type ShelterStatus, sourcePattern } from '../changes/stored-pet.ts'
import { decodeText, describeReadError } from '../files/read-file.ts'
import { readYaml } from './read-yaml.ts'

/** The columns that the settings name. Other columns of the file are not read. */
const mappedColumns = ['number', 'name', 'category', 'status'] as const

export type MappedColumn = (typeof mappedColumns)[number]

export interface SourceSettings {
  /** Name of the source, such as `elm-street`: that of the settings' file, without its ending. */
  readonly source: string
  /** The name that the header of the file has for each of these columns. */
  readonly columns: Readonly<Record<MappedColumn, string>>
  /** Category ids by the words of the shelter. */
  readonly categories: ReadonlyMap<string, bigint>
  /** Statuses by the words of the shelter. */
  readonly statuses: ReadonlyMap<string, ShelterStatus>
  /** Percentage of the animals on offer that one file may take off the offer without a doubt. */
  readonly lossPercent: number
  /** Encoding of a file without a byte order mark, as the Encoding Standard names it. Default: UTF-8. */
  readonly encoding?: string | undefined
  /** SHA-256 of the settings' bytes. */
  readonly hash: string
}

/** The settings as YAML has them. */
interface RawSettings {
  readonly columns: SourceSettings['columns']
  readonly categories: Readonly<Record<string, string>>
  readonly statuses: Readonly<Record<string, ShelterStatus>>
  readonly losses?: string
  readonly encoding?: string
}

/** The schema of the settings. A description completes the sentence about a mistake: `losses must be <description>`. */
const schema = {
  type: 'object',
  required: ['columns', 'categories', 'statuses'],
  additionalProperties: false,
  properties: {
    columns: {
      type: 'object',
      description: `the names of the columns of the file for ${mappedColumns.join(', ')}`,
      required: mappedColumns,
      additionalProperties: false,
      properties: Object.fromEntries(
        mappedColumns.map((column) => [
          column,
          { type: 'string', minLength: 1, description: 'the name of a column of the file' },
        ]),
      ),
    },
    categories: {
      type: 'object',
      description: 'a category id for each word of the shelter',
      minProperties: 1,
      additionalProperties: { type: 'string', format: 'int64', description: 'a category id, which is a whole number' },
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
    losses: { type: 'string', pattern: '^\\d{1,3} ?%$', description: 'a share such as 10 %' },
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
 * @param path absolute path of the file, such as `/srv/shelters/elm-street.yaml`, whose name is that of the source
 * @throws UsageError that has a sentence for each mistake
 */
export const readSettings = (path: string): SourceSettings => parseSettings(path, readSettingsFile(path))

const readSettingsFile = (path: string): Buffer => {
  try {
    return readFileSync(path)
  } catch (error) {
    throw new UsageError(describeReadError(path, error))
  }
}

/** Parses the settings as `readSettings` does. */
export const parseSettings = (path: string, bytes: Buffer): SourceSettings => {
  const source = readSource(path)
  const decoded = decodeText(bytes)
  if (decoded === undefined) throw new UsageError(`${path} is not UTF-8. Save it as UTF-8.`)
  const yaml = readYaml(decoded.text)
  if ('mistake' in yaml) throw new UsageError(`${path}, line ${yaml.line}: ${yaml.mistake}`)

  // `verbose` adds to each error the schema and the value that `describeMistake` reads.
  const ajv = new Ajv({ allErrors: true, verbose: true })
  ajv.addFormat('int64', (text) => parseInt64(text) !== undefined)
  ajv.addFormat('encoding', isEncoding)
  const validate = ajv.compile<RawSettings>(schema)
  if (!validate(yaml.value)) {
    const mistakes = (validate.errors ?? []).map((error) => {
      const { names, mistake } = describeMistake(error)
      const line = yaml.findLine(names)
      return makePrintable(`${path}${line === undefined ? '' : `, line ${line}`}: ${mistake}.`)
    })
    throw new UsageError([...new Set(mistakes)].join('\n'))
  }
  const { columns, categories, statuses, losses = '20 %', encoding } = yaml.value
  return {
    source,
    columns,
    categories: new Map(Object.entries(categories).map(([word, id]) => [word, BigInt(id)])),
    statuses: new Map(Object.entries(statuses)),
    lossPercent: Number.parseInt(losses, 10),
    encoding,
    hash: createHash('sha256').update(bytes).digest('base64url'),
  }
}

/** Reads the name of a source from the path alone: a copy of the settings under another name is another source. */
const readSource = (path: string): string => {
  const { source } = /(?<source>[^/\\]+)\.yaml$/.exec(path)?.groups ?? {}
  if (source !== undefined && new RegExp(sourcePattern).test(source)) return source
  throw new UsageError(
    `${path} must have the name of its source and end in .yaml, such as elm-street.yaml: ` +
      'at most 64 lower-case letters, digits and hyphens.',
  )
}

interface SettingsMistake {
  /** Names that lead to the setting, such as `columns` and `number`. */
  readonly names: readonly string[]
  /** A sentence without its full stop. */
  readonly mistake: string
}

const describeMistake = ({ instancePath, params, parentSchema, data }: ErrorObject): SettingsMistake => {
  // A JSON pointer writes ~1 for a slash and ~0 for a tilde.
  const path = instancePath.split('/').slice(1)
  const names = path.map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
  const quoteName = (...further: readonly string[]): string => `\`${[...names, ...further].join('.')}\``
  const missing: unknown = params['missingProperty']
  if (typeof missing === 'string') {
    const rule: unknown = parentSchema?.['properties']?.[missing]?.description
    return { names, mistake: `${quoteName(missing)} has no value; it must be ${rule}` }
  }
  const unknownName: unknown = params['additionalProperty']
  if (typeof unknownName === 'string') {
    return { names: [...names, unknownName], mistake: `${quoteName(unknownName)} is no setting` }
  }
  // Only the type of the whole file is left to be wrong.
  if (names.length === 0) return { names, mistake: 'the file must have lines such as `losses: 20 %`' }
  const fault = data === '' ? 'has no value; it must be' : 'must be'
  return { names, mistake: `${quoteName()} ${fault} ${parentSchema?.['description']}` }
}
