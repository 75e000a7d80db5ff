import { parseArgs } from 'node:util'
import { type Allowance, fixedPlans, isPlan, type Plan, planNames } from '../../shared/api-keys/plans.ts'
import { UsageError } from '../command-line/usage-error.ts'

interface Target {
  readonly environment: 'local'
  /** The data folder of the local environment. */
  readonly data: string
  readonly json: boolean
}

/** What the command line asks for. */
export type KeyCommand = Target &
  (
    | { readonly action: 'issue'; readonly owner: string; readonly plan: Plan; readonly allowance: Allowance }
    | { readonly action: 'list' }
    | { readonly action: 'show' | 'revoke' | 'unban'; readonly keyId: string }
    | { readonly action: 'rotate'; readonly keyId: string; readonly overlapSeconds: number }
    | { readonly action: 'move'; readonly keyId: string; readonly plan: Plan; readonly allowance: Allowance }
  )

export const usage = `Usage: npm run --silent keys -- ACTION --env local [--data DIR] [--json]

  issue --plan PLAN --owner NAME [LIMITS]   make a key; it is shown this once
  list                                      all keys
  show ID                                   one key, with what it has used
  rotate ID [--overlap-hours N]             make a successor; the key works N hours more (default 24)
  move ID --plan PLAN [LIMITS]              move a key to another plan
  unban ID                                  end a temporary ban
  revoke ID                                 stop a key at once

  PLAN     free, pro, business or enterprise
  LIMITS   --per-minute N --per-day N, both, for enterprise and only for it
  --data   the data folder of the local environment (default .local)
  --json   print one JSON object`

const options = {
  env: { type: 'string' },
  data: { type: 'string', default: '.local' },
  json: { type: 'boolean', default: false },
  plan: { type: 'string' },
  owner: { type: 'string' },
  'per-minute': { type: 'string' },
  'per-day': { type: 'string' },
  'overlap-hours': { type: 'string' },
  help: { type: 'boolean', default: false },
} as const

/** The options that an action takes beside those that all take. */
const optionsOf: Readonly<Record<KeyCommand['action'], readonly (keyof typeof options)[]>> = {
  issue: ['plan', 'owner', 'per-minute', 'per-day'],
  list: [],
  show: [],
  revoke: [],
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
  const target = readTarget(values)
  refuseOthers(action, values)
  const [keyId, ...more] = rest
  if (action === 'issue' || action === 'list') {
    if (keyId !== undefined) throw new UsageError(`"${action}" takes no key id.`)
    if (action === 'list') return { ...target, action }
    return { ...target, action, owner: readOwner(values.owner), ...readPlan(values) }
  }
  if (keyId === undefined || more.length > 0)
    throw new UsageError(`"${action}" takes one key id, such as ${action} key_0abc.`)
  if (action === 'rotate') return { ...target, action, keyId, overlapSeconds: readOverlap(values['overlap-hours']) }
  if (action === 'move') return { ...target, action, keyId, ...readPlan(values) }
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

const readTarget = ({ env, data, json }: Values): Target => {
  if (env !== 'local') throw new UsageError('Name the environment: --env local.')
  return { environment: env, data, json }
}

const refuseOthers = (action: KeyCommand['action'], values: Values): void => {
  const taken = new Set<string>(['env', 'data', 'json', 'help', ...optionsOf[action]])
  const other = Object.keys(values).find((name) => !taken.has(name))
  if (other !== undefined) throw new UsageError(`"${action}" does not take --${other}.`)
}

const readOwner = (owner: string | undefined): string => {
  if (owner === undefined || owner.trim() === '' || owner.length > longestOwner) {
    throw new UsageError(`Name the owner, in at most ${longestOwner} characters: --owner NAME.`)
  }
  return owner
}

const longestOwner = 100

const readPlan = (values: Values): { plan: Plan; allowance: Allowance } => {
  const { plan } = values
  if (plan === undefined || !isPlan(plan)) throw new UsageError(`Name a plan: --plan ${planNames.join('|')}.`)
  const perMinute = readCount(values['per-minute'], '--per-minute')
  const perDay = readCount(values['per-day'], '--per-day')
  if (plan === 'enterprise') {
    if (perMinute === undefined || perDay === undefined) {
      throw new UsageError('An enterprise key has limits of its own: give both --per-minute N and --per-day N.')
    }
    return { plan, allowance: { perMinute, perDay } }
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

/** What a count may be: DynamoDB would take more, but no key makes a billion requests a minute. */
const largestCount = 1_000_000_000

const readCount = (text: string | undefined, option: string): number | undefined => {
  if (text === undefined) return undefined
  const value = Number(text)
  if (!/^\d+$/.test(text) || value < 1 || value > largestCount) {
    throw new UsageError(`${option} takes a whole number from 1 to ${largestCount}.`)
  }
  return value
}
