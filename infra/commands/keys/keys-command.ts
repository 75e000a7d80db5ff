/** The command line of `npm run keys`. */
import { InvalidArgumentError, Option } from '@commander-js/extra-typings'
import { type KeyId, type StoredKey, scopes } from '../../../shared/api-keys/api-key-record.ts'
import { maximumPerMinute, planNames } from '../../../shared/api-keys/plans.ts'
import { systemClock } from '../../../shared/clock.ts'
import { createWholeNumberParser, formatExamples } from '../../command-line/command.ts'
import { makePrintable } from '../../command-line/printable.ts'
import { formatCount, printReport, type Report } from '../../command-line/report.ts'
import { redactApiKeys } from '../../command-line/run-command.ts'
import { readHiddenLine } from '../../command-line/standard-input.ts'
import { UsageError } from '../../command-line/user-error.ts'
import { isDayText, parseUtcTime } from '../../command-line/utc-time.ts'
import {
  type ChangeOptions,
  confirmOption,
  createEnvironmentCommand,
  runAuditedCommand,
  runEnvironmentCommand,
  whyOption,
} from '../environment/environment-command.ts'
import type { KeyContext } from './change-key.ts'
import { chooseLimits, requireThrottle, revokeAllKeys, revokeKey, setKey, unbanKey } from './edit-key.ts'
import { findKey, listKeys, requireReadable } from './find-key.ts'
import type { IssuedKey } from './issue-key.ts'
import { explainUnseenKey, issueKey, rotateKey } from './issue-key.ts'
import { listedStates, reportIssuedKey, reportKey, reportKeys, reportRotation, reportStoredKey } from './key-report.ts'

const description =
  'Issues and administers API keys. Where a command takes an id, it also takes the key itself, and prints the id. ' +
  'With "-" it reads the key from standard input, so that it is in no history of a shell.'

const keyArgument = 'id of a key, or the key; "-" reads it from standard input'

/** A parsed subcommand of `npm run keys`. */
interface Subcommand {
  /** Returns the options of the subcommand and those of `keys`. */
  optsWithGlobals(): ChangeOptions
}

type KeysCommand = ReturnType<typeof createEnvironmentCommand>

export const createKeysCommand = (): KeysCommand => {
  const keys = createEnvironmentCommand('npm run keys --', description)
  addIssue(keys)
  addList(keys)
  addShow(keys)
  addRotate(keys)
  addSet(keys)
  addUnban(keys)
  addRevoke(keys)
  return keys
}

const addIssue = (keys: KeysCommand): void => {
  keys
    .command('issue')
    .description('make a key; it is shown this once')
    .addOption(createPlanOption().makeOptionMandatory())
    .addOption(createScopeOption().makeOptionMandatory())
    .requiredOption('--owner <name>', 'its owner', parseText)
    .addOption(contactOption)
    .option('--valid-until <day>', 'the day from which it does not work, such as 2030-12-31 (UTC)', parseFutureDay)
    .addOption(perMinuteOption)
    .addOption(perDayOption)
    .addOption(whyOption)
    .addOption(confirmOption)
    .addHelpText(
      'after',
      formatExamples(
        'npm run keys -- issue --env staging --plan free --scope read --owner Zoo',
        'npm run keys -- issue --env local --plan pro --scope read --owner Zoo --valid-until 2030-12-31',
      ),
    )
    .action(({ perMinute, perDay, validUntil: expiresAt, ...options }, subcommand) => {
      const order = { ...options, expiresAt, limits: chooseLimits(options.plan, { perMinute, perDay }) }
      const run = (context: KeyContext) => {
        requireThrottle(context.environment.name, perMinute)
        return issueKey(context, order)
      }
      return issue(subcommand, run, reportIssuedKey)
    })
}

const addList = (keys: KeysCommand): void => {
  keys
    .command('list')
    .description('all keys, or those that match')
    .option('--owner <part>', 'only keys whose owner has this text')
    .addOption(new Option('--state <name>', 'only keys in this state').choices(listedStates))
    .option('--expires-within <days>', 'only keys that end within these days', parseDays)
    .addHelpText(
      'after',
      formatExamples(
        'npm run keys -- list --env production --owner shelter',
        'npm run keys -- list --env production --expires-within 30',
        'npm run keys -- list --env production --state banned',
      ),
    )
    .action((filter, subcommand) =>
      runEnvironmentCommand(subcommand.optsWithGlobals(), async (environment) =>
        reportKeys(await listKeys(environment), filter, systemClock() / 1_000),
      ),
    )
}

const addShow = (keys: KeysCommand): void => {
  keys
    .command('show')
    .argument('<id>', keyArgument)
    .description('one key, with what it has used and when it was last refused')
    .addHelpText(
      'after',
      formatExamples('npm run keys -- show ID --env production', 'npm run keys -- show - --env production'),
    )
    .action((word, _options, subcommand) =>
      runEnvironmentCommand(subcommand.optsWithGlobals(), async (environment) => {
        const stored = await findKey(environment, await readKeyArgument(word))
        return reportKey(requireReadable(stored), systemClock() / 1_000)
      }),
    )
}

const addRotate = (keys: KeysCommand): void => {
  keys
    .command('rotate')
    .argument('<id>', keyArgument)
    .description('make a successor; the key works for some hours more')
    .option(
      '--overlap-hours <n>',
      'how long the key still works (default: 24); a key that is rotated again keeps its end',
      parseOverlap,
    )
    .addOption(whyOption)
    .addOption(confirmOption)
    .addHelpText(
      'after',
      formatExamples(
        'npm run keys -- rotate ID --env production --confirm production',
        'npm run keys -- rotate ID --env local --overlap-hours 0 --why leaked',
      ),
    )
    // `parseOverlap` has turned the hours into seconds.
    .action((word, { overlapHours: overlapSeconds }, subcommand) =>
      issue(
        subcommand,
        async (context) => rotateKey(context, await readKeyArgument(word), overlapSeconds),
        reportRotation,
      ),
    )
}

const addSet = (keys: KeysCommand): void => {
  keys
    .command('set')
    .argument('<id>', keyArgument)
    .description('change the plan, the limits, the owner, the contact, the scope or the end of a key')
    .addOption(createPlanOption())
    .addOption(perMinuteOption)
    .addOption(perDayOption)
    .option('--owner <name>', 'its owner', parseText)
    .addOption(contactOption)
    .addOption(createScopeOption())
    .option(
      '--valid-until <day>',
      'the day from which it does not work, such as 2030-12-31 (UTC), or "never"; a key that has expired works again',
      parseEnd,
    )
    .option('--overlap-hours <n>', 'a replaced key: how long it still works from now on', parseOverlap)
    .addOption(whyOption)
    .addOption(confirmOption)
    .addHelpText(
      'after',
      formatExamples(
        'npm run keys -- set ID --env production --confirm production --plan pro',
        'npm run keys -- set ID --env local --plan enterprise --per-minute 90 --per-day 500',
        'npm run keys -- set ID --env staging --valid-until 2030-12-31',
      ),
    )
    .action((word, options, subcommand) => {
      // `--why` and `--confirm` change nothing of the key. `parseOverlap` has turned hours into seconds.
      const { why: _why, confirm: _confirm, validUntil: expiresAt, overlapHours: overlapSeconds, ...terms } = options
      const settings = { ...terms, expiresAt, overlapSeconds }
      const isEmpty = Object.values(settings).every((value) => value === undefined)
      if (isEmpty) throw new UsageError('Give at least one option that says what to change.')
      return changeOne(subcommand, word, (context, idOrKey) => {
        requireThrottle(context.environment.name, settings.perMinute)
        return setKey(context, idOrKey, settings)
      })
    })
}

const addUnban = (keys: KeysCommand): void => {
  keys
    .command('unban')
    .argument('<id>', keyArgument)
    .description('end a temporary ban')
    .addOption(whyOption)
    .addOption(confirmOption)
    .action((word, _options, subcommand) => changeOne(subcommand, word, unbanKey))
}

const addRevoke = (keys: KeysCommand): void => {
  keys
    .command('revoke')
    .argument('[id]', keyArgument)
    .description('stop a key at once')
    .option('--all', 'all keys of the environment, which --confirm must name')
    .addOption(whyOption)
    .addOption(confirmOption)
    .addHelpText(
      'after',
      formatExamples(
        'npm run keys -- revoke ID --env staging --why "leaked in a repository"',
        'npm run keys -- revoke - --env production --confirm production',
        'npm run keys -- revoke --all --env staging --confirm staging',
      ),
    )
    .action((word, { all = false }, subcommand) => {
      const isKeyGiven = word !== undefined
      // Exactly one of the two must be given. If `--all` stands before `--`, npm takes it for itself.
      if (isKeyGiven === all) throw new UsageError('Name the key to revoke, or give --all, after "--".')
      if (isKeyGiven) return changeOne(subcommand, word, revokeKey)

      const { env, confirm } = subcommand.optsWithGlobals()
      if (confirm !== env) {
        throw new UsageError(`This revokes all keys of ${env}. If that is meant, add --confirm ${env}.`)
      }
      return change(subcommand, async (context) => {
        const revoked = await revokeAllKeys(context)
        return { json: { revoked }, text: `Revoked ${formatCount(revoked, 'key')}.` }
      })
    })
}

/** Runs a subcommand that changes keys. */
const change = (subcommand: Subcommand, run: (context: KeyContext) => Promise<Report | undefined>): Promise<void> =>
  runAuditedCommand(subcommand.optsWithGlobals(), (environment, operator) => {
    // Only `issue` and `rotate` announce a key. If such a command is cut off, the operator finds the key by this id.
    const announce = (keyId: KeyId): void => console.error(`Issuing the API key ${keyId}.`)
    return run({ environment, operator, clock: systemClock, announce })
  })

/** Runs a subcommand that changes one key, and reports the changed key. */
const changeOne = (
  subcommand: Subcommand,
  word: string,
  run: (context: KeyContext, idOrKey: string) => Promise<StoredKey>,
): Promise<void> =>
  change(subcommand, async (context) =>
    reportStoredKey(await run(context, await readKeyArgument(word)), systemClock() / 1_000),
  )

/**
 * Runs a subcommand that issues a key, and prints the key. If printing fails, the message says that nobody has seen the
 * key.
 */
const issue = <Issued extends IssuedKey>(
  subcommand: Subcommand,
  run: (context: KeyContext) => Promise<Issued>,
  report: (issued: Issued, nowSeconds: number) => Report,
): Promise<void> =>
  change(subcommand, async (context) => {
    const issued = await run(context)
    try {
      await printReport(report(issued, systemClock() / 1_000), subcommand.optsWithGlobals().json === true)
    } catch (cause) {
      throw explainUnseenKey(cause, issued)
    }
    // The report is printed already.
    return undefined
  })

/**
 * Reads the key that an argument stands for. Called once the rest of the command line is right and the environment is
 * open, so that nobody pastes a key in vain.
 *
 * @returns the id of the key, or the API key itself
 */
const readKeyArgument = async (word: string): Promise<string> => {
  if (word !== '-') return word
  const text = await readHiddenLine('API key (it is not shown): ')
  if (text === '') throw new UsageError('Standard input has no API key, and no id of one.')
  return text
}

/**
 * A function, because `issue` makes its option mandatory, and `set` does not. `createScopeOption` is one for this too.
 */
const createPlanOption = () =>
  new Option('--plan <name>', 'its plan, with the present limits of the plan').choices(planNames)

const createScopeOption = () =>
  new Option('--scope <name>', 'what it may do: read pets, or also add them').choices(scopes)

const perMinuteOption = new Option(
  '--per-minute <n>',
  'enterprise: its limit per minute; a caller who needs more than 30,000 gets several keys',
).argParser(createWholeNumberParser(1, maximumPerMinute))

/** More than any key can use: 30,000 requests a minute are 43,200,000 a day. */
const maximumPerDay = 1e10

const perDayOption = new Option('--per-day <n>', 'enterprise: its limit per day').argParser(
  createWholeNumberParser(1, maximumPerDay),
)

/** Maximum number of characters of an owner or a contact. */
const maximumTextLength = 100

/** Parses an owner or a contact. Reports and logs show it, so it must be printable and have no API key in it. */
const parseText = (text: string): string => {
  const isPrintable = makePrintable(text) === text
  const hasApiKey = redactApiKeys(text) !== text
  const isEmpty = text.trim() === ''
  if (isPrintable && !hasApiKey && !isEmpty && text.length <= maximumTextLength) return text
  throw new InvalidArgumentError(
    `It must be 1 to ${maximumTextLength} characters that a terminal shows, without an API key.`,
  )
}

const contactOption = new Option('--contact <text>', 'how to reach the owner; "" for nothing').argParser((text) =>
  text === '' ? text : parseText(text),
)

/** Parses a day after today, such as `2030-12-31`. @returns the Unix seconds at which the day begins */
const parseFutureDay = (text: string): number => {
  const day = isDayText(text) ? parseUtcTime(text) / 1_000 : Number.NaN
  // `day` is NaN if the text is no day. NaN is not greater than any number.
  if (day > systemClock() / 1_000) return day
  throw new InvalidArgumentError('It must be a day after today, such as 2030-12-31.')
}

/** Parses the end of a key: a day, as `parseFutureDay` returns it, or `never`. */
const parseEnd = (text: string): number | 'never' => (text === 'never' ? text : parseFutureDay(text))

/** Parses a number of days, at most a century. */
const parseDays = createWholeNumberParser(0, 36_500)

/** Parses a number of hours, at most thirty days. */
const parseHours = createWholeNumberParser(0, 24 * 30)

/** Parses the hours of an overlap, during which a replaced key still works. @returns seconds */
const parseOverlap = (text: string): number => parseHours(text) * 3_600
