import { InvalidArgumentError } from '@commander-js/extra-typings'
import { listed, suggestNearest } from '../../command-line/nearest.ts'
import { decimalNumber, jsonOption, oneOf, readNumber, wholeNumber } from '../../command-line/options.ts'
import { tool } from '../../command-line/tool.ts'
import {
  type EnvironmentConfig,
  type EnvironmentName,
  environmentNames,
  environments,
  presets,
} from '../../environments.ts'
import { kinds, type Mix } from './workload.ts'

/** An environment with options, as `npm run cost` takes it: `production` or `production,size=small`. */
export interface SetUp {
  readonly name: string
  readonly environment: EnvironmentName
  readonly config: EnvironmentConfig
}

/** What the command line asks for. */
export type CostCommand = ReturnType<typeof readCostCommand>

/** A month of requests, with what the options say of them. Shares are from 0 to 1. */
export type Workload = CostCommand['workload'] & { readonly requests: number }

/** The longest that API Gateway waits for a function. */
const longestRun = 29_000

const mixExample = 'list=0.7,get=0.2,create=0.1'

/** What may be asked of an environment, beside what infra/environments.ts has. */
const changesOf = {
  'size=small': presets.small,
  'size=standard': presets.standard,
  'alarms=on': { alarms: true },
  'dashboard=on': { dashboard: true },
  'tracing=on': { tracing: true },
} as const satisfies Record<string, Partial<EnvironmentConfig>>

const changeNames = ['size=small', 'size=standard', 'alarms=on', 'dashboard=on', 'tracing=on'] as const

const setUpNote = `production or staging, and any of ${listed(changeNames)}, such as production,size=small`

/**
 * @returns the set-ups, first the one that is asked for, then those that it is compared with; the workload of each month,
 *   beside the requests; and these, without which a table of months of different sizes is asked for
 * @throws UserError that says what to change
 */
export const readCostCommand = (line: readonly string[]) => {
  const share = decimalNumber(0, 1)
  const milliseconds = decimalNumber(0.001, longestRun)
  const options = tool(
    'npm run cost --',
    "Estimates a month's cost on AWS, by list prices of us-east-1 and without any free tier.",
  )
    .option('--requests <n>', 'requests a month, such as 1e6; without it, a table of 1e5 to 1e8', wholeNumber(1, 1e12))
    .option('--mix <shares>', `of which kinds: ${listed(kinds)}`, readMix, readMix(mixExample))
    .option('--env, --environment <set-up>', setUpNote, readSetUp, readSetUp('production'))
    .option('--compare <set-up>', 'another one to show beside it; can be repeated', addSetUp, [])
    .option('--unfiltered <share>', 'of the lists, those without a status', share, 0.5)
    .option('--page <n>', 'pets on a page of a list', wholeNumber(1, 100), 20)
    .option('--idempotent <share>', 'of the creations, those with an Idempotency-Key', share, 0.5)
    .option('--unknown-keys <share>', 'of the unauthorized, those with a well-formed key that does not exist', share, 1)
    .option('--keys <n>', 'API keys among which the requests are spread evenly', wholeNumber(1, 10_000), 100)
    .option('--pets <n>', 'pets that are in the table already', wholeNumber(0, 1e12), 100_000)
    .option('--authorizer-ms <n>', 'an average run of the authorizer, assumed, not measured', milliseconds, 12)
    .option('--operation-ms <n>', 'an average run of an operation, assumed, not measured', milliseconds, 15)
    .addOption(jsonOption)
    .parse(line, { from: 'user' })
    .opts()
  const { requests, environment, compare, json = false, authorizerMs, operationMs, ...workload } = options
  const durations = { authorizerMilliseconds: authorizerMs, operationMilliseconds: operationMs }
  const setUps: readonly SetUp[] = [environment, ...compare]
  return { setUps, requests, json, workload: { ...workload, ...durations } }
}

function readSetUp(name: string): SetUp {
  const [environmentName = '', ...options] = name.split(',')
  const environment = oneOf(environmentNames)(environmentName)
  const changes = options.map((option) => changesOf[oneOf(changeNames)(option)])
  return { name, environment, config: Object.assign({}, environments[environment], ...changes) }
}

function addSetUp(name: string, before: readonly SetUp[]): readonly SetUp[] {
  return [...before, readSetUp(name)]
}

function readMix(text: string): Mix {
  const mix: Record<keyof Mix, number> = { list: 0, get: 0, create: 0, refused: 0, unauthorized: 0 }
  const named = new Set<string>()
  for (const part of text.split(',')) {
    const [name = '', share, ...more] = part.split('=')
    const kind = kinds.find((one) => one === name)
    const value = readNumber(share ?? '')
    if (kind === undefined || named.has(name) || more.length > 0 || !(value >= 0)) {
      throw new InvalidArgumentError(
        `It must be shares of ${listed(kinds)}, each at most once, such as ${mixExample}. ${suggestNearest(name, kinds)}`,
      )
    }
    named.add(name)
    mix[kind] = value
  }
  const sum = Object.values(mix).reduce((all, one) => all + one, 0)
  if (Math.abs(sum - 1) > 1e-6)
    throw new InvalidArgumentError(`The shares must add up to 1, but add up to ${Number(sum.toFixed(6))}.`)
  return mix
}
