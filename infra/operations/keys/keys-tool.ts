import { InvalidArgumentError, Option } from '@commander-js/extra-typings'
import { type ApiKeyRecord, scopes } from '../../../shared/api-keys/api-key-record.ts'
import { type Allowance, fixedPlans, maximumPerMinute, type Plan, planNames } from '../../../shared/api-keys/plans.ts'
import { type Clock, systemClock } from '../../../shared/clock.ts'
import { printable } from '../../command-line/printable.ts'
import { formatCount, printReport, type Report } from '../../command-line/report.ts'
import { redactApiKeys } from '../../command-line/run-command.ts'
import { parseWholeNumber } from '../../command-line/tool.ts'
import { UserError } from '../../command-line/user-error.ts'
import {
  type CommandOptions,
  createEnvironmentTool,
  runChangeCommand,
  runReadCommand,
} from '../environment/environment-command.ts'
import { createKeyAdministration, type KeyAdministration, type ShowKey } from './administration.ts'
import { keyStates, smokeOwner } from './key.ts'
import { reportIssuedKey, reportKey, reportKeys } from './key-report.ts'

const description =
  'Issues and administers API keys. Where a command takes an id, it also takes the key itself, and prints the id.'

const readText = (text: string): string => {
  const isPrintable = printable(text) === text && redactApiKeys(text) === text
  if (isPrintable && text.trim() !== '' && text.length <= 100) return text
  throw new InvalidArgumentError('It must be 1 to 100 characters that a terminal shows, without an API key.')
}

const readOwner = (text: string): string => {
  if (text.trim().toLowerCase() !== smokeOwner) return readText(text)
  throw new InvalidArgumentError('The smoke test revokes all keys of this owner. Name another one.')
}

/** @returns Unix seconds */
const readDay =
  (clock: Clock) =>
  (text: string): number => {
    const time = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(text) : Number.NaN
    // A date such as 30 February is read as another day.
    if (time > clock() && new Date(time).toISOString().startsWith(text)) return time / 1_000
    throw new InvalidArgumentError('It must be a day after today, such as 2030-12-31.')
  }

type Limits = { readonly [Name in keyof Allowance]?: number | undefined }

/** @throws UserError where the limits do not fit the plan */
const readAllowance = (plan: Plan, { perMinute, perDay }: Limits): Allowance => {
  if (plan !== 'enterprise') {
    if (perMinute === undefined && perDay === undefined) return fixedPlans[plan]
    throw new UserError(`The limits of ${plan} are fixed; only enterprise takes --per-minute and --per-day.`)
  }
  if (perMinute === undefined || perDay === undefined) {
    throw new UserError('An enterprise key has its own limits: give both --per-minute N and --per-day N.')
  }
  if (perMinute > perDay) throw new UserError('--per-minute is more than --per-day: no minute could use it.')
  return { perMinute, perDay }
}

const plan = new Option('--plan <name>', 'its plan').choices(planNames).makeOptionMandatory()
const perMinute = new Option(
  '--per-minute <n>',
  'enterprise: its limit per minute; who needs more than 30,000 gets several keys',
).argParser(parseWholeNumber(1, maximumPerMinute))
const perDay = new Option('--per-day <n>', 'enterprise: its limit per day').argParser(parseWholeNumber(1, 1e10))
const contact = new Option('--contact <text>', 'how to reach the owner; "" for nothing').argParser((text) =>
  text === '' ? text : readText(text),
)
const again = new Option('--again', 'also where the key has a successor; the key ends when it was said then')

/** A command with its options and those of the tool. */
interface Parsed {
  optsWithGlobals(): CommandOptions
}

/** The command line of `npm run keys`. */
export const createKeysTool = (clock: Clock = systemClock) => {
  const read = (command: Parsed, act: (keys: KeyAdministration) => Promise<Report>) =>
    runReadCommand(command.optsWithGlobals(), (environment) => act(createKeyAdministration(environment, { clock })))
  const change = (command: Parsed, act: (keys: KeyAdministration) => Promise<Report | undefined>) => {
    const options = command.optsWithGlobals()
    const show: ShowKey = (...issued) => printReport(reportIssuedKey(clock(), ...issued), options.json === true)
    return runChangeCommand(options, (environment, audit) =>
      act(createKeyAdministration(environment, { clock, audit, show })),
    )
  }
  const changeKey = (command: Parsed, act: (keys: KeyAdministration) => Promise<ApiKeyRecord>) =>
    change(command, async (keys) => reportKey(await act(keys), clock()))

  const tool = createEnvironmentTool('npm run --silent keys --', description)
  tool
    .command('issue')
    .description('make a key; it is shown this once')
    .addOption(plan)
    .requiredOption('--owner <name>', 'its owner', readOwner)
    .addOption(contact)
    .addOption(new Option('--scope <name>', 'what it may do').choices(scopes).default('read-write' as const))
    .option('--expires <day>', 'the day from which it does not work, such as 2030-12-31 (UTC)', readDay(clock))
    .addOption(perMinute)
    .addOption(perDay)
    .action(({ expires: expiresAt, ...order }, command) => {
      const allowance = readAllowance(order.plan, order)
      return change(command, async (keys) => void (await keys.issue({ ...order, allowance, expiresAt })))
    })
  tool
    .command('list')
    .description('all keys, or those that match')
    .option('--owner <name>', 'only those of this owner')
    .addOption(new Option('--plan <name>', 'only those of this plan').choices(planNames))
    .addOption(new Option('--state <name>', 'only such keys').choices(keyStates))
    .action((filter, command) => read(command, async (keys) => reportKeys(await keys.list(), filter, clock())))
  tool
    .command('show <id>')
    .description('one key, with what it has used')
    .action((id, _options, command) => read(command, async (keys) => reportKey(await keys.show(id), clock())))
  tool
    .command('rotate <id>')
    .description('make a successor; the key works for some hours more')
    .option('--overlap-hours <n>', 'how long the key still works', parseWholeNumber(0, 24 * 30), 24)
    .addOption(again.conflicts('overlapHours'))
    .action((id, { overlapHours, again }, command) => {
      const overlapSeconds = overlapHours * 3_600
      return change(command, async (keys) => void (await keys.rotate(id, { overlapSeconds, again })))
    })
  tool
    .command('move <id>')
    .description('move a key to another plan, or give it the limits of its plan')
    .addOption(plan)
    .addOption(perMinute)
    .addOption(perDay)
    .action((id, { plan, ...limits }, command) => {
      const allowance = readAllowance(plan, limits)
      return changeKey(command, (keys) => keys.move(id, plan, allowance))
    })
  tool
    .command('edit <id>')
    .description('change the owner or the contact of a key')
    .option('--owner <name>', 'its owner', readOwner)
    .addOption(contact)
    .action((id, options, command) => {
      if (Object.keys(options).length === 0) throw new UserError('Give --owner NAME, --contact TEXT or both.')
      const changes = options.contact === '' ? { ...options, contact: undefined } : options
      return changeKey(command, (keys) => keys.edit(id, changes))
    })
  tool
    .command('unban <id>')
    .description('end a temporary ban')
    .action((id, _options, command) => changeKey(command, (keys) => keys.unban(id)))
  tool
    .command('revoke [id]')
    .description('stop a key at once')
    .option('--all', 'all keys of the environment')
    .action((id, { all = false }, command) => {
      if (id !== undefined && !all) return changeKey(command, (keys) => keys.revoke(id))
      if (id !== undefined || !all) throw new UserError('Name the key to revoke, or give --all.')
      return change(command, async (keys) => {
        const revoked = await keys.revokeAll()
        return { json: { revoked }, text: `Revoked ${formatCount(revoked, 'key')}.` }
      })
    })
  return tool
}
