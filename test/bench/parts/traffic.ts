import { environments } from '../../../infra/environments.ts'
import { sizes } from '../../../infra/operations/cost/item-sizes.ts'
import { maximumPerMinute } from '../../../shared/api-keys/plans.ts'
import type { Section } from '../section.ts'
import type { PartContext } from './part.ts'

/** What of the requests creates a pet, and what lists those of one status, in the reckoning. */
const mix = { create: 0.1, list: 0.7 } as const

/** The page of a list that names no limit, and one pet more, which tells whether there is a next page. */
const petsRead = 21

/** Writes a second of one partition key value (the same document). */
const writesPerSecond = 1_000

/** Read units a second of one partition ("Best practices for designing and using partition keys effectively"). */
const readUnitsPerSecond = 3_000

/** Executions at once in an account and Region, at first ("Lambda quotas"). */
const concurrency = 1_000

/** Invocations a second for each of these ("Lambda quotas"). */
const invocationsPerExecution = 10

/** The authorizer and an operation. */
const invocationsPerRequest = 2

interface Limit {
  readonly what: string
  /** Requests a second of the whole API, or of one key, up to which it holds. */
  readonly holdsTo: number
  readonly remedy: string
  readonly source: string
}

/** An eventually consistent query costs a half unit for each 4 KB ("DynamoDB read consistency", "Read and write operations"). */
const unitsOfList = Math.ceil((petsRead * sizes.pet) / 4_096) / 2

const atDuration = (milliseconds: number): Limit => ({
  what: `Lambda: ${concurrency} at once, if authorizer and operation take ${milliseconds} ms each`,
  holdsTo: concurrency / ((invocationsPerRequest * milliseconds) / 1_000),
  remedy: 'ask AWS for more',
  source: 'Lambda quotas',
})

const { methodThrottle } = environments.production

const limits: readonly Limit[] = [
  {
    what: `one key: writes to its item (a key may have ${maximumPerMinute / 60} a second)`,
    holdsTo: writesPerSecond,
    remedy: 'several keys',
    source: 'Best practices for designing and using partition keys effectively',
  },
  {
    what: 'throttle of one method in production',
    holdsTo: methodThrottle.requestsPerSecond,
    remedy: 'raise it',
    source: 'infra/environments.ts',
  },
  {
    what: 'API Gateway: account throttle (in some Regions 2,500)',
    holdsTo: 10_000,
    remedy: 'ask AWS for more',
    source: 'Amazon API Gateway quotas',
  },
  {
    what: `Lambda: ${invocationsPerExecution} invocations a second for each of ${concurrency}`,
    holdsTo: (invocationsPerExecution * concurrency) / invocationsPerRequest,
    remedy: 'ask AWS for more',
    source: 'Lambda quotas',
  },
  ...[10, 25, 50].map(atDuration),
  {
    what: 'keys table: a new one on demand',
    holdsTo: 4_000,
    remedy: 'raise traffic in steps, or set warm throughput',
    source: 'DynamoDB on-demand capacity mode',
  },
  {
    what: 'keys table: write units of a table',
    holdsTo: 40_000,
    remedy: 'ask AWS for more',
    source: 'Service, account, and table quotas in Amazon DynamoDB',
  },
  {
    what: `status index: all creates (${mix.create * 100} %) go to the newest end of "available"`,
    holdsTo: writesPerSecond / mix.create,
    remedy: 'spread each status over several partition keys, and query them side by side',
    source: 'Understanding Global Secondary Index (GSI) write throttling and back pressure in DynamoDB',
  },
  {
    what: `status index: first pages (${mix.list * 100} %), of ${unitsOfList} units, read that same end`,
    holdsTo: readUnitsPerSecond / unitsOfList / mix.list,
    remedy: 'the same, and keep the first page in memory for a second',
    source: 'Best practices for designing and using partition keys effectively',
  },
  {
    what: 'pets table: ids are partition keys, so no item is hot; write units of a table',
    holdsTo: 40_000 / mix.create,
    remedy: 'ask AWS for more',
    source: 'Service, account, and table quotas in Amazon DynamoDB',
  },
]

const asked = [10_000, 100_000] as const

const limitsSection = (): Section => ({
  title: `On paper: up to how many requests a second what holds (${mix.list * 100} % lists of one status, ${mix.create * 100} % creates)`,
  columns: {
    what: 'limit',
    holdsTo: 'requests/s',
    atLower: `at ${asked[0].toLocaleString('en-US')}`,
    atUpper: `at ${asked[1].toLocaleString('en-US')}`,
    remedy: 'what to do',
    source: 'source',
  },
  rows: limits.map(({ what, holdsTo, remedy, source }) => ({
    what,
    holdsTo: Math.floor(holdsTo),
    atLower: holdsTo >= asked[0] ? 'holds' : 'gives way',
    atUpper: holdsTo >= asked[1] ? 'holds' : 'gives way',
    remedy,
    source,
  })),
})

/** What limits throughput on AWS, on paper. */
export const modelTraffic = async ({ progress }: PartContext): Promise<readonly Section[]> => {
  progress('calculating')
  return [limitsSection()]
}
