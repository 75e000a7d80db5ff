/** The command line of `npm run keys`. */
import { InvalidArgumentError, Option } from '@commander-js/extra-typings'
import { type StoredKey, scopes } from '../../../shared/api-keys/api-key-record.ts'
import { type Allowance, fixedPlans, maximumPerMinute, type Plan, planNames } from '../../../shared/api-keys/plans.ts'
import { type Clock, systemClock } from '../../../shared/clock.ts'
import { makePrintable } from '../../command-line/printable.ts'
import { formatCount, type Report } from '../../command-line/report.ts'
import { redactApiKeys } from '../../command-line/run-command.ts'
import { createWholeNumberParser } from '../../command-line/tool.ts'
import { UsageError } from '../../command-line/user-error.ts'
import {
  type CommandOptions,
  createEnvironmentTool,
  runChangeCommand,
  runReadCommand,
} from '../environment/environment-command.ts'
import { KeyAdministration, readKeys } from './administration.ts'
import { type IssuedKey, keyStates, smokeOwner } from './key.ts'
import { KeyPrinter } from './key-printer.ts'
import { reportKeys, reportStoredKey } from './key-report.ts'

const description =
  'Issues and administers API keys. Where a command takes an id, it also takes the key itself, and prints the id.'

const maximumTextLength = 100

const parseText = (text: string): string => {
  const isPrintable = makePrintable(text) === text
  const hasApiKey = redactApiKeys(text) !== text
  const isEmpty = text.trim() === ''
  if (isPrintable && !hasApiKey && !isEmpty && text.length <= maximumTextLength) return text
  throw new InvalidArgumentError('It must be 1 to 100 characters that a terminal shows, without an API key.')
}

const parseContact = (text: string): string => (text === '' ? text : parseText(text))

const parseOwner = (text: string): string => {
  if (text.trim().toLowerCase() !== smokeOwner) return parseText(text)
  throw new InvalidArgumentError('The smoke test revokes all keys of this owner. Name another one.')
}

/** Creates a parser of a UTC day such as `2030-12-31`. It returns the Unix seconds at which the day begins. */
const createFutureDayParser =
  (clock: Clock) =>
  (text: string): number => {
    const time = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(text) : Number.NaN
    const isInFuture = time > clock()
    // Date.parse reads 30 February as 2 March, whose text is another one.
    const isFutureDay = isInFuture && new Date(time).toISOString().startsWith(text)
    if (isFutureDay) return time / 1_000
    throw new InvalidArgumentError('It must be a day after today, such as 2030-12-31.')
  }

interface LimitOptions {
  readonly perMinute?: number | undefined
  readonly perDay?: number | undefined
}

/**
 * Chooses the limits of a key: those of its plan, or for `enterprise` those of the options.
 *
 * @throws UserError if the options do not fit the plan
 */
const chooseAllowance = (plan: Plan, { perMinute, perDay }: LimitOptions): Allowance => {
  if (plan !== 'enterprise') {
    if (perMinute === undefined && perDay === undefined) return fixedPlans[plan]
    throw new UsageError(`The limits of ${plan} are fixed; only enterprise takes --per-minute and --per-day.`)
  }
  if (perMinute === undefined || perDay === undefined) {
    throw new UsageError('An enterprise key has its own limits: give both --per-minute N and --per-day N.')
  }
  if (perMinute > perDay) throw new UsageError('--per-minute is more than --per-day: no minute could use it.')
  return { perMinute, perDay }
}

const planOption = new Option('--plan <name>', 'its plan').choices(planNames).makeOptionMandatory()

const perMinuteOption = new Option(
  '--per-minute <n>',
  'enterprise: its limit per minute; a caller who needs more than 30,000 gets several keys',
).argParser(createWholeNumberParser(1, maximumPerMinute))

const perDayOption = new Option('--per-day <n>', 'enterprise: its limit per day').argParser(
  createWholeNumberParser(1, 1e10),
)

const contactOption = new Option('--contact <text>', 'how to reach the owner; "" for nothing').argParser(parseContact)

const againOption = new Option('--again', 'even if the key has a successor already; the end of the key stays')

/** A parsed subcommand. */
interface Subcommand {
  /** Returns its options and those of the tool. */
  optsWithGlobals(): CommandOptions
}

/**
 * Creates the command line of `npm run keys`.
 *
 * @example
 * await runTool(createKeysTool())
 */
export const createKeysTool = (clock: Clock = systemClock) => {
  const tool = createEnvironmentTool('npm run --silent keys --', description)

  /** Runs a subcommand that reads. */
  const read = (command: Subcommand, run: (keys: ReturnType<typeof readKeys>) => Promise<Report>): Promise<void> =>
    runReadCommand(command.optsWithGlobals(), (environment) => run(readKeys(environment, clock)))

  /** Runs a subcommand that changes keys. */
  const change = (command: Subcommand, run: (keys: KeyAdministration) => Promise<Report>): Promise<void> =>
    runChangeCommand(command.optsWithGlobals(), (environment, audit) =>
      run(new KeyAdministration(environment, { clock, audit })),
    )

  /** Runs a subcommand that issues a key, and prints the key. */
  const issue = (command: Subcommand, run: (keys: KeyAdministration) => Promise<IssuedKey>): Promise<void> => {
    const options = command.optsWithGlobals()
    return runChangeCommand(options, async (environment, audit) => {
      const printer = new KeyPrinter(clock, options.json === true)
      await printer.printOutcome(run(new KeyAdministration(environment, { clock, audit, showKey: printer.showKey })))
      return undefined
    })
  }

  /** Runs a subcommand that changes one key, and reports the changed key. It may change a key that cannot be read. */
  const changeOne = (command: Subcommand, run: (keys: KeyAdministration) => Promise<StoredKey>): Promise<void> =>
    change(command, async (keys) => ({ ...reportStoredKey(await run(keys), clock()), exitCode: 0 }))

  tool
    .command('issue')
    .description('make a key; it is shown this once')
    .addOption(planOption)
    .requiredOption('--owner <name>', 'its owner', parseOwner)
    .addOption(contactOption)
    .addOption(new Option('--scope <name>', 'what it may do').choices(scopes).default('read-write' as const))
    .option(
      '--expires <day>',
      'the day from which it does not work, such as 2030-12-31 (UTC)',
      createFutureDayParser(clock),
    )
    .addOption(perMinuteOption)
    .addOption(perDayOption)
    .action((options, command) => {
      const { plan, owner, contact, scope, expires } = options
      const allowance = chooseAllowance(plan, options)
      const order = { owner, contact, plan, allowance, scope, expiresAt: expires }
      return issue(command, (keys) => keys.issue(order))
    })

  tool
    .command('list')
    .description('all keys, or those that match')
    .option('--owner <name>', 'only keys of this owner')
    .addOption(new Option('--plan <name>', 'only keys of this plan').choices(planNames))
    .addOption(new Option('--state <name>', 'only keys in this state').choices(keyStates))
    .action((filter, command) => read(command, async (keys) => reportKeys(await keys.list(), filter, clock())))

  tool
    .command('show <id>')
    .description('one key, with what it has used')
    .action((id, _options, command) => read(command, async (keys) => reportStoredKey(await keys.find(id), clock())))

  tool
    .command('rotate <id>')
    .description('make a successor; the key works for some hours more')
    .option('--overlap-hours <n>', 'how long the key still works', createWholeNumberParser(0, 24 * 30), 24)
    .addOption(againOption.conflicts('overlapHours'))
    .action((id, { overlapHours, again }, command) =>
      issue(command, (keys) => keys.rotate(id, { overlapSeconds: overlapHours * 3_600, again })),
    )

  tool
    .command('move <id>')
    .description('move a key to another plan, or give it the limits of its plan')
    .addOption(planOption)
    .addOption(perMinuteOption)
    .addOption(perDayOption)
    .action((id, { plan, perMinute, perDay }, command) => {
      const allowance = chooseAllowance(plan, { perMinute, perDay })
      return changeOne(command, (keys) => keys.move(id, plan, allowance))
    })

  tool
    .command('edit <id>')
    .description('change the owner or the contact of a key')
    .option('--owner <name>', 'its owner', parseOwner)
    .addOption(contactOption)
    .action((id, options, command) => {
      if (Object.keys(options).length === 0) throw new UsageError('Give --owner NAME, --contact TEXT or both.')
      const changes = options.contact === '' ? { ...options, contact: undefined } : options
      return changeOne(command, (keys) => keys.edit(id, changes))
    })

  tool
    .command('unban <id>')
    .description('end a temporary ban')
    .action((id, _options, command) => changeOne(command, (keys) => keys.unban(id)))

  tool
    .command('mend <id>')
    .description('write the damaged attributes of a key anew; "list" names the keys that need it')
    .action((id, _options, command) => change(command, async (keys) => reportStoredKey(await keys.mend(id), clock())))

  tool
    .command('revoke [id]')
    .description('stop a key at once')
    .option('--all', 'all keys of the environment')
    .action((id, { all = false }, command) => {
      const isIdGiven = id !== undefined
      if (isIdGiven === all) throw new UsageError('Name the key to revoke, or give --all.')
      if (id !== undefined) return changeOne(command, (keys) => keys.revoke(id))
      return change(command, async (keys) => {
        const revoked = await keys.revokeAll()
        return { json: { revoked }, text: `Revoked ${formatCount(revoked, 'key')}.` }
      })
    })

  return tool
}
