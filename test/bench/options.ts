import { parseArgs } from 'node:util'
import { UsageError } from '../../infra/command-line/usage-error.ts'
import { type Engine, engines, isEngine } from '../../infra/local/database/database.ts'
import { mostPets } from '../../infra/operations/seed/seeded-pet.ts'

export const partNames = ['bundles', 'cold', 'warm', 'calls', 'throughput', 'choices', 'scale', 'traffic'] as const

export type PartName = (typeof partNames)[number]

export const usage = `Usage: npm run bench [-- --only PART --seconds N --rounds N --json FILE --svg FILE]

Measures the deployable bundles beside floors: bare handlers that make the same calls to DynamoDB with the
same client and bundler, and nothing else (test/bench/floors). Both take turns; a ratio is that of one turn.

  --only PART      one part of those below; several by several --only (default: the first five)
  --seconds N      how long each scenario of throughput runs (default 5)
  --rounds N       processes and blocks of requests for each median (default 6 for each of these seconds)
  --connections N  requests under way at once in throughput (default 20)
  --engine NAME    the database, dynalite or dynamodb-local (default dynalite)
  --sizes A,B,...  numbers of pets that scale compares (default 1000,100000)
  --json FILE      writes all figures, with the machine's
  --svg FILE       draws cold and warm as a chart

  bundles     the bytes of each bundle, and where they come from
  cold        to load a bundle, and from the start of a process to its first answer
  warm        processor time and latency of a request, once a process has answered many
  calls       calls to DynamoDB and the capacity that they consume; dynalite counts none for an index that
              is written to, nor for a refused write; dynamodb-local does
  throughput  requests per second through the local environment, and the exactness of a limit under load
  choices     the cold start with what was not chosen: ES modules, a code cache and others; and what memory does
  scale       get and list on tables of different sizes, which it loads first (on dynalite)
  traffic     no measurement: what limits throughput on AWS`

/** What runs when no part is named: the others take minutes, but for `traffic`, which measures nothing of this machine. */
const usualParts: readonly PartName[] = ['bundles', 'cold', 'warm', 'calls', 'throughput']

export interface BenchOptions {
  readonly parts: readonly PartName[]
  readonly seconds: number
  readonly rounds: number
  readonly connections: number
  readonly engine: Engine
  /** In ascending order. */
  readonly sizes: readonly number[]
  readonly json: string | undefined
  readonly svg: string | undefined
}

/** @throws UsageError that says what to change. */
export const readOptions = (words: readonly string[]): BenchOptions | 'help' => {
  const { values } = parse(words)
  if (values.help) return 'help'
  const seconds = readCount(values.seconds, '--seconds')
  return {
    parts: values.only === undefined ? usualParts : values.only.map(readPart),
    seconds,
    rounds: values.rounds === undefined ? 6 * seconds : readCount(values.rounds, '--rounds'),
    connections: readCount(values.connections, '--connections'),
    engine: readEngine(values.engine),
    sizes: readSizes(values.sizes),
    json: values.json,
    svg: values.svg,
  }
}

const parse = (words: readonly string[]) => {
  try {
    return parseArgs({
      args: [...words],
      options: {
        only: { type: 'string', multiple: true },
        seconds: { type: 'string', default: '5' },
        rounds: { type: 'string' },
        connections: { type: 'string', default: '20' },
        engine: { type: 'string', default: 'dynalite' },
        sizes: { type: 'string', default: '1000,100000' },
        json: { type: 'string' },
        svg: { type: 'string' },
        help: { type: 'boolean', default: false },
      },
    })
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error))
  }
}

const readPart = (text: string): PartName => {
  const part = partNames.find((name) => name === text)
  if (part === undefined) throw new UsageError(`There is no part ${text}. There are ${partNames.join(', ')}.`)
  return part
}

const readCount = (text: string, option: string): number => {
  if (!/^[1-9]\d{0,3}$/.test(text)) throw new UsageError(`${option} takes a whole number from 1 to 9999.`)
  return Number(text)
}

const readEngine = (text: string): Engine => {
  if (!isEngine(text)) throw new UsageError(`There is no engine ${text}. There are ${engines.join(' and ')}.`)
  return text
}

const readSizes = (text: string): readonly number[] => {
  const sizes = text.split(',').map((size) => (/^[1-9]\d*$/.test(size) ? Number(size) : 0))
  if (sizes.length < 2 || sizes.some((size) => size < 1_000 || size > mostPets)) {
    throw new UsageError(`--sizes takes two or more numbers from 1000 to ${mostPets}, joined by commas.`)
  }
  return sizes.toSorted((one, other) => one - other)
}
