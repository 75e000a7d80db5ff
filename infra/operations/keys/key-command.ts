import { parseArgs } from 'node:util'
import {
  type Allowance,
  fixedPlans,
  isPlan,
  maximumPerMinute,
  type Plan,
  planNames,
} from '../../../shared/api-keys/plans.ts'
import { readBaseUrl } from '../../command-line/base-url.ts'
import { confirmProduction } from '../../command-line/confirm-production.ts'
import { isPrintable } from '../../command-line/printable.ts'
import { UsageError } from '../../command-line/usage-error.ts'
import { type EnvironmentName, environmentNames } from '../../environments.ts'

interface LocalTarget {
  readonly environment: 'local'
  /** The data folder of the local environment. */
  readonly data: string
}

interface DeployedTarget {
  readonly environment: EnvironmentName
  /** How long to wait, at most, until a new key works at the edge. */
  readonly waitSeconds: number
  /** Where the API answers; `undefined` for the address that its stack tells. */
  readonly url: string | undefined
}

/** What the command line asks for. */
export type KeyCommand = LocalCommand | DeployedCommand

export type LocalCommand = LocalTarget & Common & KeyAction
export type DeployedCommand = DeployedTarget & Common & KeyAction

interface Common {
  readonly json: boolean
}

export type KeyAction =
  | { readonly action: 'issue'; readonly owner: string; readonly plan: Plan; readonly allowance: Allowance }
  | { readonly action: 'list' }
  | { readonly action: 'check'; readonly repair: boolean }
  | { readonly action: 'show' | 'revoke' | 'unban'; readonly keyId: string }
  | { readonly action: 'rotate'; readonly keyId: string; readonly overlapSeconds: number }
  | { readonly action: 'move'; readonly keyId: string; readonly plan: Plan; readonly allowance: Allowance }

export const usage = `Usage: npm run --silent keys -- ACTION --env ENV [OPTIONS]

  issue --plan PLAN --owner NAME [LIMITS]   make a key; it is shown this once
  list                                      all keys
  show ID                                   one key, with what it has used
  rotate ID [--overlap-hours N]             make a successor; the key works N hours more (default 24)
  move ID --plan PLAN [LIMITS]              move a key to another plan
  unban ID                                  end a temporary ban
  revoke ID                                 stop a key at once
  check [--repair]                          find what interrupted commands have left, and repair it

  ENV        local, or an environment on AWS: ${environmentNames.join(' or ')}
  PLAN       free, pro, business or enterprise
  LIMITS     --per-minute N --per-day N, both, for enterprise and only for it
  --json     print one JSON object
  --data     local: the data folder of the local environment (default .local)
  --confirm production   required to revoke a key of production

  On AWS, for issue and rotate:
  --no-wait         do not wait until the key works
  --wait-seconds N  wait no longer than this (default 300)
  --url URL         wait for the API at this base URL instead of its stack's; https, but on this machine

On AWS the AWS SDK's own settings apply, such as AWS_PROFILE and AWS_REGION. API Gateway takes some
seconds, at times minutes, to know a new key: the key is printed first, then the command waits. Each try
counts as a request of the key.

Exit codes: 0 done; 1 not done, for a reason that one line tells, or "check" found something that is not
repaired; 2 the key is made, but did not work within the time.`

const options = {
  env: { type: 'string' },
  data: { type: 'string' },
  json: { type: 'boolean', default: false },
  plan: { type: 'string' },
  owner: { type: 'string' },
  'per-minute': { type: 'string' },
  'per-day': { type: 'string' },
  'overlap-hours': { type: 'string' },
  repair: { type: 'boolean' },
  confirm: { type: 'string' },
  'no-wait': { type: 'boolean' },
  'wait-seconds': { type: 'string' },
  url: { type: 'string' },
  help: { type: 'boolean', default: false },
} as const

/** The options that an action takes beside those that all take. */
const optionsOf: Readonly<Record<KeyCommand['action'], readonly (keyof typeof options)[]>> = {
  issue: ['plan', 'owner', 'per-minute', 'per-day'],
  list: [],
  check: ['repair'],
  show: [],
  revoke: ['confirm'],
  unban: [],
  rotate: ['overlap-hours'],
  move: ['plan', 'per-minute', 'per-day'],
}

type Values = ReturnType<typeof parse>['values']

/** @throws UsageError that says what to change. */
export const readKeyCommand = (words: readonly string[]): KeyCommand | 'help' => {
  const { values, positionals } = parse(words)
  if (values.help) return 'help'
  const [action, ...rest] = positionals
  if (action === undefined || !isAction(action)) throw new UsageError(`Name one action: ${actions.join(', ')}.`)
  const target = readTarget(action, values)
  refuseOthers(action, values)
  const [keyId, ...more] = rest
  if (action === 'issue' || action === 'list' || action === 'check') {
    if (keyId !== undefined) throw new UsageError(`"${action}" takes no key id.`)
    if (action === 'list') return { ...target, action }
    if (action === 'check') return { ...target, action, repair: values.repair ?? false }
    return { ...target, action, owner: readOwner(values.owner), ...readPlan(values) }
  }
  if (keyId === undefined || more.length > 0)
    throw new UsageError(`"${action}" takes one key id, such as ${action} key_0abc.`)
  if (action === 'rotate') return { ...target, action, keyId, overlapSeconds: readOverlap(values['overlap-hours']) }
  if (action === 'move') return { ...target, action, keyId, ...readPlan(values) }
  if (action === 'revoke') confirmProduction(target.environment, values.confirm)
  return { ...target, action, keyId }
}

const parse = (words: readonly string[]) => {
  try {
    return parseArgs({ args: [...words], options, allowPositionals: true })
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error))
  }
}

// The keys of the record are just the actions.
const actions = Object.keys(optionsOf) as KeyCommand['action'][]

const isAction = (text: string): text is KeyCommand['action'] => Object.hasOwn(optionsOf, text)

const readTarget = (action: KeyCommand['action'], values: Values) => {
  const { env, data, json, url } = values
  if (env === undefined || !isEnvironment(env)) {
    throw new UsageError(`Name the environment: --env local, or ${environmentNames.join(' or ')} on AWS.`)
  }
  if (env === 'local') {
    refuse('--env local', values, waitOptions)
    return { environment: env, data: data ?? '.local', json }
  }
  refuse(`--env ${env}`, values, ['data'])
  if (action !== 'issue' && action !== 'rotate') refuse(`"${action}"`, values, waitOptions)
  return {
    environment: env,
    waitSeconds: readWait(values),
    url: url === undefined ? undefined : readBaseUrl(url),
    json,
  }
}

const waitOptions = ['no-wait', 'wait-seconds', 'url'] as const

const isEnvironment = (text: string): text is 'local' | EnvironmentName => ['local', ...environmentNames].includes(text)

const refuse = (who: string, values: Values, refused: readonly (keyof Values)[]): void => {
  const other = refused.find((name) => values[name] !== undefined)
  if (other !== undefined) throw new UsageError(`${who} does not take --${other}.`)
}

const readWait = (values: Values): number => {
  const seconds = values['wait-seconds']
  if (values['no-wait'] === true) {
    refuse('--no-wait', values, ['wait-seconds', 'url'])
    return 0
  }
  return seconds === undefined ? 300 : readCount(seconds, '--wait-seconds', 3_600)
}

const refuseOthers = (action: KeyCommand['action'], values: Values): void => {
  const taken = new Set<string>(['env', 'data', 'json', 'help', ...waitOptions, ...optionsOf[action]])
  const other = Object.keys(values).find((name) => !taken.has(name))
  if (other !== undefined) throw new UsageError(`"${action}" does not take --${other}.`)
}

const readOwner = (owner: string | undefined): string => {
  if (owner === undefined || owner.trim() === '' || owner.length > longestOwner) {
    throw new UsageError(`Name the owner, in at most ${longestOwner} characters: --owner NAME.`)
  }
  if (!isPrintable(owner)) throw new UsageError('--owner takes no control, format or line-separator characters.')
  return owner
}

const longestOwner = 100

const readPlan = (values: Values): { plan: Plan; allowance: Allowance } => {
  const { plan } = values
  if (plan === undefined || !isPlan(plan)) throw new UsageError(`Name a plan: --plan ${planNames.join('|')}.`)
  const { 'per-minute': perMinute, 'per-day': perDay } = values
  if (plan === 'enterprise') {
    if (perMinute === undefined || perDay === undefined) {
      throw new UsageError('An enterprise key has limits of its own: give both --per-minute N and --per-day N.')
    }
    return {
      plan,
      allowance: {
        perMinute: readPerMinute(perMinute),
        perDay: readCount(perDay, '--per-day', largestPerDay),
      },
    }
  }
  if (perMinute !== undefined || perDay !== undefined) {
    throw new UsageError(`The limits of ${plan} are fixed; only enterprise takes --per-minute and --per-day.`)
  }
  return { plan, allowance: fixedPlans[plan] }
}

const readOverlap = (hours: string | undefined): number => {
  if (hours === undefined) return 24 * secondsPerHour
  const value = Number(hours)
  if (!/^\d+(\.\d+)?$/.test(hours) || value > mostOverlapHours) {
    throw new UsageError(`--overlap-hours takes a number from 0 to ${mostOverlapHours}.`)
  }
  return Math.round(value * secondsPerHour)
}

const secondsPerHour = 3_600
const mostOverlapHours = 24 * 365

const readPerMinute = (text: string): number => {
  if (/^\d+$/.test(text) && Number(text) > maximumPerMinute) {
    throw new UsageError(
      `One key makes at most ${maximumPerMinute} requests a minute. Issue several keys and share the requests among them.`,
    )
  }
  return readCount(text, '--per-minute', maximumPerMinute)
}

/** DynamoDB would take more, but no key makes ten billion requests a day. */
const largestPerDay = 10_000_000_000

const readCount = (text: string, option: string, largest: number): number => {
  const value = Number(text)
  if (!/^\d+$/.test(text) || value < 1 || value > largest) {
    throw new UsageError(`${option} takes a whole number from 1 to ${largest}.`)
  }
  return value
}
