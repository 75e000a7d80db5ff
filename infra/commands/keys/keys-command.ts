/** The command line of `npm run keys`. */
import { Option } from '@commander-js/extra-typings'
import { type KeyId, type StoredKey, scopes } from '../../../shared/api-keys/api-key-record.ts'
import { planNames } from '../../../shared/api-keys/plans.ts'
import { type Clock, systemClock } from '../../../shared/clock.ts'
import { createWholeNumberParser, formatExamples } from '../../command-line/command.ts'
import { formatCount, printReport, type Report } from '../../command-line/report.ts'
import { describeError } from '../../command-line/run-command.ts'
import { UsageError, UserError } from '../../command-line/user-error.ts'
import {
  type CommandOptions,
  createAuditedCommand,
  runAuditedCommand,
  runEnvironmentCommand,
} from '../environment/environment-command.ts'
import { KeyAdministration } from './administration.ts'
import type { IssuedKey } from './key.ts'
import {
  contactOption,
  createEndParser,
  createFutureDayParser,
  createPastDayParser,
  keyArgument,
  overlapHoursParser,
  parseText,
  perDayOption,
  perMinuteOption,
  planOption,
  readKeyArgument,
} from './key-options.ts'
import { KeyReader } from './key-reader.ts'
import { listedStates, reportIssuedKey, reportKey, reportKeys, reportRotation, reportStoredKey } from './key-report.ts'
import { chooseLimits } from './key-settings.ts'

const description =
  'Issues and administers API keys. Where a command takes an id, it also takes the key itself, and prints the id. ' +
  'With "-" it reads the key from standard input, so that it is in no history of a shell.'

/** A parsed subcommand. */
interface Subcommand {
  /** Returns its options and those of the tool. */
  optsWithGlobals(): CommandOptions
}

/** Shows the id of a new key before it is written: the audit and `list` know the key by it, whatever happens then. */
const announceKey = (keyId: KeyId): void => console.error(`Issuing the API key ${keyId}.`)

/** @throws UserError if the output cannot be written: nobody has seen the key then */
const printNewKey = async (report: Report, { record }: IssuedKey, asJson: boolean): Promise<void> => {
  try {
    await printReport(report, asJson)
  } catch (cause) {
    const advice = `The API key ${record.keyId} was issued, and nobody has seen it: "revoke ${record.keyId}".`
    throw new UserError(`${describeError(cause)} ${advice}`, { cause })
  }
}

/**
 * Creates the command line of `npm run keys`.
 *
 * @example
 * await runCommandLine(createKeysCommand())
 */
export const createKeysCommand = (clock: Clock = systemClock) => {
  const tool = createAuditedCommand('npm run --silent keys --', description)
  const readSeconds = (): number => clock() / 1_000

  /** Runs a subcommand that reads. */
  const read = (command: Subcommand, run: (keys: KeyReader) => Promise<Report>): Promise<void> =>
    runEnvironmentCommand(command.optsWithGlobals(), (environment) => run(new KeyReader(environment)))

  /** Runs a subcommand that changes keys. */
  const change = (command: Subcommand, run: (keys: KeyAdministration) => Promise<Report | undefined>): Promise<void> =>
    runAuditedCommand(command.optsWithGlobals(), (environment, audit) =>
      run(new KeyAdministration(environment, { clock, audit, announce: announceKey })),
    )

  /** Runs a subcommand that issues a key, and prints the key once it is issued. */
  const issue = <Issued extends IssuedKey>(
    command: Subcommand,
    run: (keys: KeyAdministration) => Promise<Issued>,
    report: (issued: Issued, nowSeconds: number) => Report,
  ): Promise<void> =>
    change(command, async (keys) => {
      const issued = await run(keys)
      await printNewKey(report(issued, readSeconds()), issued, command.optsWithGlobals().json === true)
      return undefined
    })

  /** Runs a subcommand that changes one key, and reports the changed key. */
  const changeOne = async (
    command: Subcommand,
    word: string,
    run: (keys: KeyAdministration, idOrKey: string) => Promise<StoredKey>,
  ): Promise<void> => {
    const idOrKey = await readKeyArgument(word)
    return change(command, async (keys) => reportStoredKey(await run(keys, idOrKey), readSeconds()))
  }

  tool
    .command('issue')
    .description('make a key; it is shown this once')
    .addOption(planOption)
    .requiredOption('--owner <name>', 'its owner', parseText)
    .addOption(contactOption)
    .addOption(new Option('--scope <name>', 'what it may do').choices(scopes).default('read-write' as const))
    .option(
      '--expires <day>',
      'the day from which it does not work, such as 2030-12-31 (UTC)',
      createFutureDayParser(clock),
    )
    .addOption(perMinuteOption)
    .addOption(perDayOption)
    .addHelpText(
      'after',
      formatExamples(
        'npm run --silent keys -- issue --env staging --plan free --owner "Town zoo" --contact zoo@example.org',
        'npm run --silent keys -- issue --env staging --plan business --owner Kiosk --scope read --expires 2030-12-31',
      ),
    )
    .action((options, command) => {
      const { plan, owner, contact, scope, expires } = options
      const limits = chooseLimits(plan, options)
      const order = { owner, contact, plan, limits, scope, expiresAt: expires }
      return issue(command, (keys) => keys.issue(order), reportIssuedKey)
    })

  tool
    .command('list')
    .description('all keys, or those that match')
    .option('--owner <part>', 'only keys whose owner has this text')
    .addOption(new Option('--plan <name>', 'only keys of this plan').choices(planNames))
    .addOption(new Option('--state <name>', 'only keys in this state').choices(listedStates))
    .option('--expires-within <days>', 'only keys that end within these days', createWholeNumberParser(0, 36_500))
    .option(
      '--unused-since <day>',
      'only keys without a request since this day, such as 2026-01-31 (UTC)',
      createPastDayParser(clock),
    )
    .addHelpText(
      'after',
      formatExamples(
        'npm run --silent keys -- list --env production --owner shelter',
        'npm run --silent keys -- list --env production --expires-within 30',
        'npm run --silent keys -- list --env production --state active --unused-since 2026-01-31',
      ),
    )
    .action((filter, command) => read(command, async (keys) => reportKeys(await keys.list(), filter, readSeconds())))

  tool
    .command('show')
    .argument('<id>', keyArgument)
    .description('one key, with what it has used')
    .addHelpText(
      'after',
      formatExamples(
        'npm run --silent keys -- show ID --env production',
        'npm run --silent keys -- show - --env production',
      ),
    )
    .action(async (word, _options, command) => {
      const idOrKey = await readKeyArgument(word)
      return read(command, async (keys) => reportKey(await keys.show(idOrKey), readSeconds()))
    })

  tool
    .command('rotate')
    .argument('<id>', keyArgument)
    .description('make a successor; the key works for some hours more')
    .option(
      '--overlap-hours <n>',
      'how long the key still works (default: 24); a key that is rotated again keeps its end',
      overlapHoursParser,
    )
    .addHelpText(
      'after',
      formatExamples(
        'npm run --silent keys -- rotate ID --env production --confirm production',
        'npm run --silent keys -- rotate ID --env production --confirm production --overlap-hours 0 --why leaked',
      ),
    )
    .action(async (word, { overlapHours }, command) => {
      const idOrKey = await readKeyArgument(word)
      const overlapSeconds = overlapHours === undefined ? undefined : overlapHours * 3_600
      return issue(command, (keys) => keys.rotate(idOrKey, { overlapSeconds }), reportRotation)
    })

  tool
    .command('set')
    .argument('<id>', keyArgument)
    .description('change the plan, the limits, the owner, the contact, the scope or the end of a key')
    .addOption(new Option('--plan <name>', 'its plan, with the present limits of the plan').choices(planNames))
    .addOption(perMinuteOption)
    .addOption(perDayOption)
    .option('--owner <name>', 'its owner', parseText)
    .addOption(contactOption)
    .addOption(new Option('--scope <name>', 'what it may do').choices(scopes))
    .option(
      '--expires <day>',
      'the day from which it does not work, such as 2030-12-31 (UTC), or "never"; a key that has expired works again',
      createEndParser(clock),
    )
    .option('--overlap-hours <n>', 'a replaced key: how long it still works from now on', overlapHoursParser)
    .addHelpText(
      'after',
      formatExamples(
        'npm run --silent keys -- set ID --env production --confirm production --plan pro',
        'npm run --silent keys -- set ID --env production --confirm production --plan enterprise ' +
          '--per-minute 2000 --per-day 50000',
        'npm run --silent keys -- set ID --env production --confirm production --expires 2030-12-31',
      ),
    )
    .action((word, options, command) => {
      if (Object.keys(options).length === 0) throw new UsageError('Give at least one option that says what to change.')
      const { expires: expiresAt, overlapHours, ...terms } = options
      const overlapSeconds = overlapHours === undefined ? undefined : overlapHours * 3_600
      return changeOne(command, word, (keys, idOrKey) => keys.set(idOrKey, { ...terms, expiresAt, overlapSeconds }))
    })

  tool
    .command('unban')
    .argument('<id>', keyArgument)
    .description('end a temporary ban')
    .action((word, _options, command) => changeOne(command, word, (keys, idOrKey) => keys.unban(idOrKey)))

  tool
    .command('revoke')
    .argument('[id]', keyArgument)
    .description('stop a key at once')
    .option('--all', 'all keys of the environment, which --confirm must name')
    .addHelpText(
      'after',
      formatExamples(
        'npm run --silent keys -- revoke ID --env production --confirm production --why "leaked in a repository"',
        'npm run --silent keys -- revoke - --env production --confirm production',
        'npm run --silent keys -- revoke --all --env staging --confirm staging',
      ),
    )
    .action((word, { all = false }, command) => {
      const isKeyGiven = word !== undefined
      if (isKeyGiven === all) throw new UsageError('Name the key to revoke, or give --all.')
      if (word !== undefined) return changeOne(command, word, (keys, idOrKey) => keys.revoke(idOrKey))

      const { env, confirm } = command.optsWithGlobals()
      if (confirm !== env)
        throw new UsageError(`This revokes all keys of ${env}. If that is meant, add --confirm ${env}.`)
      return change(command, async (keys) => {
        const revoked = await keys.revokeAll()
        return { json: { revoked }, text: `Revoked ${formatCount(revoked, 'key')}.` }
      })
    })

  return tool
}
