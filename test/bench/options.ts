import { InvalidArgumentError, Option } from '@commander-js/extra-typings'
import { wholeNumber } from '../../infra/command-line/options.ts'
import { tool } from '../../infra/command-line/tool.ts'
import { maximumPets } from '../../infra/operations/seed/seeded-pet.ts'

export const partNames = ['bundles', 'cold', 'warm', 'calls', 'scale'] as const

export type PartName = (typeof partNames)[number]

const description =
  'Measures the deployable bundles beside floors: bare handlers that make the same calls to DynamoDB with the same client and bundler, and nothing else (test/bench/floors). Both take turns; a ratio is that of one turn.'

const notes = `
Parts:
  bundles  the bytes of each bundle
  cold     to load a bundle, and from the start of a process to its first response
  warm     processor time and latency of a request, once a process has served many
  calls    calls to DynamoDB and the capacity that they consume (dynalite counts none for an index that is written to,
           nor for a refused write)
  scale    get and list on tables of different sizes, which it loads first`

export interface BenchOptions {
  /** In the order of `partNames`: `calls` adds pets, which the floors of `cold` and `warm` cannot read. */
  readonly parts: readonly PartName[]
  readonly rounds: number
  /** In ascending order. */
  readonly sizes: readonly number[]
  readonly json: string | undefined
  readonly svg: string | undefined
}

/** @throws UserError that says what to change. */
export const readOptions = (line: readonly string[]): BenchOptions => {
  const options = tool('npm run bench --', description)
    .addOption(new Option('--only <part...>', 'of the parts below (default: the first four)').choices(partNames))
    .option('--rounds <n>', 'processes and blocks of requests per median', wholeNumber(1, 9_999), 30)
    .option('--sizes <a,b,...>', 'numbers of pets that scale compares', readSizes, [1_000, 100_000])
    .option('--json <file>', 'write all figures, with those of the machine')
    .option('--svg <file>', 'draw cold and warm as a chart')
    .addHelpText('after', notes)
    .parse(line, { from: 'user' })
    .opts()
  const { rounds, sizes, json, svg } = options
  // By default all but `scale`, which takes minutes.
  const parts = partNames.filter((name) => options.only?.includes(name) ?? name !== 'scale')
  return { parts, rounds, sizes, json, svg }
}

function readSizes(text: string): readonly number[] {
  const sizes = text.split(',').map(wholeNumber(1_000, maximumPets))
  if (sizes.length < 2) throw new InvalidArgumentError('It must be two or more numbers, joined by commas.')
  return sizes.toSorted((one, other) => one - other)
}
