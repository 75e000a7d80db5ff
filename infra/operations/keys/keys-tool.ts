/** The command line of `npm run keys`. */
import { Option } from '@commander-js/extra-typings'
import { type StoredKey, scopes } from '../../../shared/api-keys/api-key-record.ts'
import { planNames } from '../../../shared/api-keys/plans.ts'
import { type Clock, systemClock } from '../../../shared/clock.ts'
import { formatCount, type Report } from '../../command-line/report.ts'
import { createWholeNumberParser, formatExamples } from '../../command-line/tool.ts'
import { exitCodes, UsageError } from '../../command-line/user-error.ts'
import {
  type CommandOptions,
  createEnvironmentTool,
  runChangeCommand,
  runReadCommand,
} from '../environment/environment-command.ts'
import { KeyAdministration, readKeys } from './administration.ts'
import { checkConfirmation, confirmRevocation } from './confirm-revocation.ts'
import type { IssuedKey } from './key.ts'
import {
  againOption,
  chooseLimits,
  contactOption,
  createEdit,
  createEndParser,
  createFutureDayParser,
  createPastDayParser,
  keyArgument,
  overlapHoursParser,
  parseOwner,
  perDayOption,
  perMinuteOption,
  planOption,
  readKeyArgument,
} from './key-options.ts'
import { KeyPrinter } from './key-printer.ts'
import { listedStates, reportKeys, reportStoredKey } from './key-report.ts'

const description =
  'Issues and administers API keys. Where a command takes an id, it also takes the key itself, and prints the id. ' +
  'With "-" it reads the key from standard input, so that it is in no history of a shell.'

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
  const changeOne = async (
    command: Subcommand,
    word: string,
    run: (keys: KeyAdministration, idOrKey: string) => Promise<StoredKey>,
  ): Promise<void> => {
    const idOrKey = await readKeyArgument(word)
    return change(command, async (keys) => ({
      ...reportStoredKey(await run(keys, idOrKey), clock()),
      exitCode: exitCodes.done,
    }))
  }

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
      return issue(command, (keys) => keys.issue(order))
    })

  tool
    .command('list')
    .description('all keys, or those that match')
    .option('--owner <part>', 'only keys whose owner has this text')
    .addOption(new Option('--plan <name>', 'only keys of this plan').choices(planNames))
    .addOption(
      new Option(
        '--state <name>',
        'only keys in this state; a banned key, and a replaced one in its overlap, is active too',
      ).choices(listedStates),
    )
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
    .action((filter, command) => read(command, async (keys) => reportKeys(await keys.list(), filter, clock())))

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
      return read(command, async (keys) => reportStoredKey(await keys.find(idOrKey), clock()))
    })

  tool
    .command('rotate')
    .argument('<id>', keyArgument)
    .description('make a successor; the key works for some hours more')
    .option('--overlap-hours <n>', 'how long the key still works', overlapHoursParser, 24)
    .addOption(againOption.conflicts('overlapHours'))
    .addHelpText(
      'after',
      formatExamples(
        'npm run --silent keys -- rotate ID --env production --confirm production',
        'npm run --silent keys -- rotate ID --env production --confirm production --overlap-hours 0 --why leaked',
      ),
    )
    .action(async (word, { overlapHours, again }, command) => {
      const idOrKey = await readKeyArgument(word)
      return issue(command, (keys) => keys.rotate(idOrKey, { overlapSeconds: overlapHours * 3_600, again }))
    })

  tool
    .command('move')
    .argument('<id>', keyArgument)
    .description('move a key to another plan, or give it the limits of its plan')
    .addOption(planOption)
    .addOption(perMinuteOption)
    .addOption(perDayOption)
    .addHelpText(
      'after',
      formatExamples(
        'npm run --silent keys -- move ID --env production --confirm production --plan pro',
        'npm run --silent keys -- move ID --env production --confirm production --plan enterprise ' +
          '--per-minute 2000 --per-day 50000',
      ),
    )
    .action((word, { plan, perMinute, perDay }, command) => {
      const limits = chooseLimits(plan, { perMinute, perDay })
      return changeOne(command, word, (keys, idOrKey) => keys.move(idOrKey, plan, limits))
    })

  tool
    .command('edit')
    .argument('<id>', keyArgument)
    .description('change the owner, the contact, the scope or the end of a key')
    .option('--owner <name>', 'its owner', parseOwner)
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
        'npm run --silent keys -- edit ID --env production --confirm production --expires 2030-12-31',
        'npm run --silent keys -- edit ID --env production --confirm production --scope read',
      ),
    )
    .action((word, options, command) => {
      const changes = createEdit(options, clock())
      return changeOne(command, word, (keys, idOrKey) => keys.edit(idOrKey, changes))
    })

  tool
    .command('unban')
    .argument('<id>', keyArgument)
    .description('end a temporary ban')
    .action((word, _options, command) => changeOne(command, word, (keys, idOrKey) => keys.unban(idOrKey)))

  tool
    .command('mend')
    .argument('<id>', keyArgument)
    .description('write the damaged attributes of a key anew; "list" names the keys that need it')
    .action(async (word, _options, command) => {
      const idOrKey = await readKeyArgument(word)
      return change(command, async (keys) => reportStoredKey(await keys.mend(idOrKey), clock()))
    })

  tool
    .command('revoke')
    .argument('[id]', keyArgument)
    .description('stop a key at once')
    .option('--all', 'all keys of the environment; asks for the name of the environment')
    .option('--yes <name>', 'with --all: the name of the environment, so that nothing is asked')
    .addHelpText(
      'after',
      formatExamples(
        'npm run --silent keys -- revoke ID --env production --confirm production --why "leaked in a repository"',
        'npm run --silent keys -- revoke - --env production --confirm production',
        'npm run --silent keys -- revoke --all --env staging',
      ),
    )
    .action((word, { all = false, yes }, command) => {
      const isKeyGiven = word !== undefined
      if (isKeyGiven === all) throw new UsageError('Name the key to revoke, or give --all.')
      if (word !== undefined) {
        if (yes !== undefined) throw new UsageError('--yes is only for --all.')
        return changeOne(command, word, (keys, idOrKey) => keys.revoke(idOrKey))
      }

      const { env } = command.optsWithGlobals()
      checkConfirmation(env, yes)
      return change(command, async (keys) => {
        const revoked = await keys.revokeAll((count) => confirmRevocation(count, env, yes))
        return { json: { revoked }, text: `Revoked ${formatCount(revoked, 'key')}.` }
      })
    })

  return tool
}
