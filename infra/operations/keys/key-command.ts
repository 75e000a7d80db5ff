import { InvalidArgumentError, Option } from '@commander-js/extra-typings'
import { type Allowance, fixedPlans, maximumPerMinute, type Plan, planNames } from '../../../shared/api-keys/plans.ts'
import {
  confirmOption,
  confirmProduction,
  dataOption,
  decimalNumber,
  defaultDataFolder,
  environmentFlags,
  environmentOption,
  jsonOption,
  oneOf,
  readNumber,
  required,
  urlOption,
  wholeNumber,
} from '../../command-line/options.ts'
import { isPrintable } from '../../command-line/printable.ts'
import { tool } from '../../command-line/tool.ts'
import { UserError } from '../../command-line/user-error.ts'
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
  /** The base URL of the API; `undefined` for that of the stack. */
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

const notes = `
issue and rotate print the key first. On AWS they then wait until it works: API Gateway takes some seconds,
at times minutes, to know a new key. Each try counts as a request of the key. The AWS SDK's own settings
apply, such as AWS_PROFILE and AWS_REGION.

Exit codes: 0 done; 1 not done, for the reason that is printed, or "check" found something that is not
repaired; 2 the key is made, but did not work within the time.`

/** DynamoDB would take more, but no key makes ten billion requests a day. */
const largestPerDay = 10_000_000_000
const secondsPerHour = 3_600
const maximumOverlapHours = 24 * 365

const planOption = new Option(`--plan <${planNames.join('|')}>` as const, 'its plan').argParser(oneOf(planNames))
const perMinuteOption = new Option('--per-minute <n>', 'enterprise: its limit per minute').argParser((text) =>
  readPerMinute(text),
)
const perDayOption = new Option('--per-day <n>', 'enterprise: its limit per day').argParser(
  wholeNumber(1, largestPerDay),
)
const noWaitOption = new Option('--no-wait', 'on AWS: do not wait until the key works').conflicts([
  'waitSeconds',
  'url',
])
const waitOption = new Option('--wait-seconds <n>', 'on AWS: how long to wait at most (default: 300)').argParser(
  wholeNumber(1, 3_600),
)

/**
 * Reads the command line.
 *
 * @throws UserError that says what to change
 */
export const readKeyCommand = (line: readonly string[]): KeyCommand => {
  const read: KeyCommand[] = []
  const keys = tool('npm run --silent keys --', 'Issues and administers API keys.')
    .addOption(environmentOption(['local', ...environmentNames]))
    .addOption(dataOption)
    .addOption(jsonOption)
    .addHelpText('after', notes)
  const take = (action: KeyAction, wait?: WaitOptions): KeyCommand => {
    const command = { ...readTarget(keys.opts(), wait), ...action }
    read.push(command)
    return command
  }
  keys
    .command('issue')
    .description('make a key; it is shown this once')
    .addOption(planOption)
    .option('--owner <name>', 'its owner', readOwner)
    .addOption(perMinuteOption)
    .addOption(perDayOption)
    .addOption(noWaitOption)
    .addOption(waitOption)
    .addOption(urlOption)
    .action((options) => {
      const owner = required(options.owner, '--owner <name>')
      take({ action: 'issue', owner, ...readPlan(options) }, options)
    })
  keys
    .command('list')
    .description('all keys')
    .action(() => void take({ action: 'list' }))
  keys
    .command('show <id>')
    .description('one key, with what it has used')
    .action((keyId) => void take({ action: 'show', keyId }))
  keys
    .command('rotate <id>')
    .description('make a successor; the key works for some hours more')
    .option('--overlap-hours <n>', 'how long the key still works', decimalNumber(0, maximumOverlapHours), 24)
    .addOption(noWaitOption)
    .addOption(waitOption)
    .addOption(urlOption)
    .action((keyId, options) => {
      const overlapSeconds = Math.round(options.overlapHours * secondsPerHour)
      take({ action: 'rotate', keyId, overlapSeconds }, options)
    })
  keys
    .command('move <id>')
    .description('move a key to another plan')
    .addOption(planOption)
    .addOption(perMinuteOption)
    .addOption(perDayOption)
    .action((keyId, options) => void take({ action: 'move', keyId, ...readPlan(options) }))
  keys
    .command('unban <id>')
    .description('end a temporary ban')
    .action((keyId) => void take({ action: 'unban', keyId }))
  keys
    .command('revoke <id>')
    .description('stop a key at once')
    .addOption(confirmOption('to revoke a key of production'))
    .action((keyId, { confirm }) => {
      confirmProduction(take({ action: 'revoke', keyId }).environment, confirm)
    })
  keys
    .command('check')
    .description('find what interrupted commands have left')
    .option('--repair', 'repair it')
    .action(({ repair = false }) => void take({ action: 'check', repair }))
  keys.parse(line, { from: 'user' })
  const [command] = read
  // Without an action, commander has thrown.
  if (command === undefined) throw new Error('No action was read.')
  return command
}

interface CommonOptions {
  readonly env?: 'local' | EnvironmentName | undefined
  readonly data?: string | undefined
  readonly json?: boolean | undefined
}

interface WaitOptions {
  readonly wait: boolean
  readonly waitSeconds?: number | undefined
  readonly url?: string | undefined
}

const readTarget = ({ env, data, json = false }: CommonOptions, given: WaitOptions = { wait: true }) => {
  const environment = required(env, environmentFlags)
  const { wait, waitSeconds, url } = given
  if (environment === 'local') {
    if (!wait || waitSeconds !== undefined || url !== undefined) {
      throw new UserError('--env local does not take --no-wait, --wait-seconds or --url: a key works there at once.')
    }
    return { environment, data: data ?? defaultDataFolder, json }
  }
  if (data !== undefined) throw new UserError(`--env ${environment} does not take --data.`)
  return { environment, waitSeconds: wait ? (waitSeconds ?? 300) : 0, url, json }
}

const readOwner = (owner: string): string => {
  if (owner.trim() === '' || owner.length > maximumOwnerLength) {
    throw new InvalidArgumentError(`It must have 1 to ${maximumOwnerLength} characters.`)
  }
  if (!isPrintable(owner)) throw new UserError('--owner takes no control, format or line-separator characters.')
  return owner
}

const maximumOwnerLength = 100

interface PlanOptions {
  readonly plan?: Plan | undefined
  readonly perMinute?: number | undefined
  readonly perDay?: number | undefined
}

const readPlan = (options: PlanOptions): { plan: Plan; allowance: Allowance } => {
  const plan = required(options.plan, planOption.flags)
  const { perMinute, perDay } = options
  if (plan === 'enterprise') {
    if (perMinute === undefined || perDay === undefined) {
      throw new UserError('An enterprise key has its own limits: give both --per-minute N and --per-day N.')
    }
    return { plan, allowance: { perMinute, perDay } }
  }
  if (perMinute !== undefined || perDay !== undefined) {
    throw new UserError(`The limits of ${plan} are fixed; only enterprise takes --per-minute and --per-day.`)
  }
  return { plan, allowance: fixedPlans[plan] }
}

const readPerMinute = (text: string): number => {
  if (readNumber(text) > maximumPerMinute) {
    throw new InvalidArgumentError(
      `One key makes at most ${maximumPerMinute} requests a minute. Issue several keys and share the requests among them.`,
    )
  }
  return wholeNumber(1, maximumPerMinute)(text)
}
