import { parseArgs } from 'node:util'
import { UsageError } from '../../command-line/usage-error.ts'
import { type EnvironmentName, environmentNames } from '../../environments.ts'
import { kinds, type Mix, type Workload } from './workload.ts'

/** What the command line asks for. */
export interface CostCommand {
  readonly environment: EnvironmentName
  /** Whether the operator turns tracing on. */
  readonly tracing: boolean
  readonly workload: Workload
  readonly json: boolean
}

export const usage = `Usage: npm run cost -- --requests N [OPTIONS]

Estimates a month's cost on AWS, by list prices of us-east-1 and without any free tier.

  --requests N        requests a month, such as 1e6
  --mix SHARES        what they are, as list=0.7,get=0.2,create=0.1 (the default); also refused, over a limit,
                      and unauthorized, without a valid key
  --environment NAME  production (default) or staging
  --tracing           with the option tracing=on, and a trace of every request, as any caller can demand
  --unfiltered SHARE  of the lists, those without a status (default 0.5)
  --page N            pets on a page of a list (default 20)
  --idempotent SHARE  of the creations, those with an Idempotency-Key (default 0.5)
  --unknown-keys SHARE of the unauthorized, those with a well-formed key that does not exist (default 1)
  --keys N            API keys among which the requests are spread evenly (default 100)
  --pets N            pets that are in the table already (default 100000)
  --authorizer-ms N   an average run of the authorizer, assumed, not measured (default 12)
  --operation-ms N    an average run of an operation, assumed, not measured (default 15)
  --json              print one JSON object
  --help              show this`

const options = {
  requests: { type: 'string' },
  mix: { type: 'string', default: 'list=0.7,get=0.2,create=0.1' },
  environment: { type: 'string', default: 'production' },
  unfiltered: { type: 'string', default: '0.5' },
  page: { type: 'string', default: '20' },
  idempotent: { type: 'string', default: '0.5' },
  'unknown-keys': { type: 'string', default: '1' },
  keys: { type: 'string', default: '100' },
  pets: { type: 'string', default: '100000' },
  'authorizer-ms': { type: 'string', default: '12' },
  'operation-ms': { type: 'string', default: '15' },
  tracing: { type: 'boolean', default: false },
  json: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
} as const

/** @throws UsageError that says what to change. */
export const readCostCommand = (words: readonly string[]): CostCommand | 'help' => {
  const values = parse(words)
  if (values.help) return 'help'
  const environment = environmentNames.find((name) => name === values.environment)
  if (environment === undefined) {
    throw new UsageError(`--environment takes ${environmentNames.join(' or ')}; the local one costs nothing.`)
  }
  const whole = (name: 'requests' | 'page' | 'keys' | 'pets', least: number, most: number): number => {
    const value = readNumber(values[name])
    if (!Number.isInteger(value) || value < least || value > most) {
      throw new UsageError(`--${name} takes a whole number from ${least} to ${most}.`)
    }
    return value
  }
  const share = (name: 'unfiltered' | 'idempotent' | 'unknown-keys'): number => {
    const value = readNumber(values[name])
    if (!(value >= 0 && value <= 1)) throw new UsageError(`--${name} takes a number from 0 to 1.`)
    return value
  }
  const milliseconds = (name: 'authorizer-ms' | 'operation-ms'): number => {
    const value = readNumber(values[name])
    if (!(value > 0 && value <= longestRun))
      throw new UsageError(`--${name} takes a number above 0, at most ${longestRun}.`)
    return value
  }
  return {
    environment,
    tracing: values.tracing,
    json: values.json,
    workload: {
      requests: whole('requests', 1, 1e12),
      mix: readMix(values.mix),
      unfiltered: share('unfiltered'),
      page: whole('page', 1, 100),
      idempotent: share('idempotent'),
      unknownKeys: share('unknown-keys'),
      keys: whole('keys', 1, 10_000),
      pets: whole('pets', 0, 1e12),
      authorizerMilliseconds: milliseconds('authorizer-ms'),
      operationMilliseconds: milliseconds('operation-ms'),
    },
  }
}

/** The longest that API Gateway waits for a function. */
const longestRun = 29_000

const parse = (words: readonly string[]) => {
  try {
    return parseArgs({ args: [...words], options }).values
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error))
  }
}

/** NaN for what is no number in decimal or scientific notation. */
const readNumber = (text: string | undefined): number =>
  text !== undefined && /^\d+(\.\d+)?(e\d+)?$/i.test(text) ? Number(text) : Number.NaN

const readMix = (text: string): Mix => {
  const mix: Record<keyof Mix, number> = { list: 0, get: 0, create: 0, refused: 0, unauthorized: 0 }
  const named = new Set<string>()
  for (const part of text.split(',')) {
    const [name = '', share, ...more] = part.split('=')
    const kind = kinds.find((one) => one === name)
    const value = readNumber(share)
    if (kind === undefined || named.has(name) || more.length > 0 || !(value >= 0)) {
      throw new UsageError(`--mix takes shares of ${kinds.join(', ')}, each once, such as list=0.7,get=0.2,create=0.1.`)
    }
    named.add(name)
    mix[kind] = value
  }
  const sum = Object.values(mix).reduce((all, one) => all + one, 0)
  if (Math.abs(sum - 1) > 1e-6)
    throw new UsageError(`The shares of --mix must add up to 1, and add up to ${Number(sum.toFixed(6))}.`)
  return mix
}
