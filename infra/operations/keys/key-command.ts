import type { Plan } from '../../../shared/api-keys/plans.ts'
import { systemClock } from '../../../shared/clock.ts'
import {
  confirmOption,
  confirmProduction,
  dataOption,
  defaultDataFolder,
  environmentFlags,
  environmentOption,
  jsonOption,
  required,
  whyOption,
} from '../../command-line/options.ts'
import { tool } from '../../command-line/tool.ts'
import { UserError } from '../../command-line/user-error.ts'
import { type EnvironmentName, environmentNames } from '../../environments.ts'
import type { KeyOrder } from './issuing.ts'
import {
  byOption,
  contactOption,
  daysOption,
  expiresOption,
  type keyStates,
  overlapOption,
  ownerOption,
  perDayOption,
  perMinuteOption,
  planOption,
  readPlan,
  scopeOption,
  stateOption,
  type usageGroups,
} from './key-options.ts'

/** What the command line asks for. */
export type KeyCommand = Target & KeyAction & { readonly json: boolean; readonly why: string | undefined }

type Target =
  /** With the data folder of the local environment. */
  { readonly environment: 'local'; readonly data: string } | { readonly environment: EnvironmentName }

/** A key is named by its id, or by the key itself. */
export type KeyAction =
  | ({ readonly action: 'issue' } & KeyOrder)
  | ({ readonly action: 'list' } & KeyFilter)
  | { readonly action: 'usage'; readonly days: number; readonly by: (typeof usageGroups)[number] }
  | { readonly action: 'check'; readonly repair: boolean }
  | { readonly action: 'show' | 'revoke' | 'unban'; readonly key: string }
  | { readonly action: 'revoke all' }
  | { readonly action: 'edit'; readonly key: string; readonly changes: { owner?: string; contact?: string } }
  | { readonly action: 'rotate'; readonly key: string; readonly overlapSeconds: number; readonly again: boolean }
  | ({ readonly action: 'move'; readonly key: string } & Pick<KeyOrder, 'plan' | 'allowance'>)

export interface KeyFilter {
  readonly owner?: string | undefined
  readonly plan?: Plan | undefined
  readonly state?: (typeof keyStates)[number] | undefined
}

const notes = `
Where a command takes an id, it also takes the key itself, and prints the id. The AWS SDK's own settings apply,
such as AWS_PROFILE and AWS_REGION.

Exit codes: 0 done; 1 not done, for the reason that is printed, or "check" found something that is not repaired.`

const secondsPerHour = 3_600

/**
 * Reads the command line.
 *
 * @throws UserError that says what to change
 */
export const readKeyCommand = (line: readonly string[], clock = systemClock): KeyCommand => {
  const read: KeyCommand[] = []
  const keys = tool('npm run --silent keys --', 'Issues and administers API keys.')
    .addOption(environmentOption(['local', ...environmentNames]))
    .addOption(dataOption)
    .addOption(jsonOption)
    .addOption(whyOption)
    .addHelpText('after', notes)
  const take = (action: KeyAction): KeyCommand => {
    const { json = false, why } = keys.opts()
    const command = { ...readTarget(keys.opts()), json, why, ...action }
    read.push(command)
    return command
  }
  keys
    .command('issue')
    .description('make a key; it is shown this once')
    .addOption(planOption)
    .addOption(ownerOption)
    .addOption(contactOption)
    .addOption(scopeOption)
    .addOption(expiresOption(clock()))
    .addOption(perMinuteOption)
    .addOption(perDayOption)
    .action(({ owner, contact, scope, expires, ...limits }) => {
      const order = { owner: required(owner, ownerOption.flags), contact, scope, expiresAt: expires }
      take({ action: 'issue', ...order, ...readPlan(limits) })
    })
  keys
    .command('list')
    .description('all keys, or those that match')
    .addOption(ownerOption)
    .addOption(planOption)
    .addOption(stateOption)
    .action((filter) => void take({ action: 'list', ...filter }))
  keys
    .command('show <id>')
    .description('one key, with what it has used')
    .action((key) => void take({ action: 'show', key }))
  keys
    .command('usage')
    .description('who made how many requests, and whose were limited')
    .addOption(daysOption)
    .addOption(byOption)
    .action((options) => void take({ action: 'usage', ...options }))
  keys
    .command('rotate <id>')
    .description('make a successor; the key works for some hours more')
    .addOption(overlapOption)
    .option('--again', 'also where the key has a successor')
    .action((key, { overlapHours, again = false }) => {
      take({ action: 'rotate', key, overlapSeconds: Math.round(overlapHours * secondsPerHour), again })
    })
  keys
    .command('move <id>')
    .description('move a key to another plan')
    .addOption(planOption)
    .addOption(perMinuteOption)
    .addOption(perDayOption)
    .action((key, options) => void take({ action: 'move', key, ...readPlan(options) }))
  keys
    .command('edit <id>')
    .description('change the owner or the contact of a key')
    .addOption(ownerOption)
    .addOption(contactOption)
    .action((key, changes) => {
      if (Object.keys(changes).length === 0) throw new UserError('Give --owner NAME, --contact TEXT or both.')
      take({ action: 'edit', key, changes })
    })
  keys
    .command('unban <id>')
    .description('end a temporary ban')
    .action((key) => void take({ action: 'unban', key }))
  keys
    .command('revoke [id]')
    .description('stop a key at once')
    .option('--all', 'all keys of the environment')
    .addOption(confirmOption('to revoke keys of production'))
    .action((key, { all = false, confirm }) => {
      if ((key === undefined) !== all) throw new UserError('Name the key to revoke, or give --all.')
      const { environment } = take(key === undefined ? { action: 'revoke all' } : { action: 'revoke', key })
      confirmProduction(environment, confirm)
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

interface TargetOptions {
  readonly env?: 'local' | EnvironmentName | undefined
  readonly data?: string | undefined
}

const readTarget = ({ env, data }: TargetOptions): Target => {
  const environment = required(env, environmentFlags)
  if (environment === 'local') return { environment, data: data ?? defaultDataFolder }
  if (data !== undefined) throw new UserError(`--env ${environment} does not take --data.`)
  return { environment }
}
