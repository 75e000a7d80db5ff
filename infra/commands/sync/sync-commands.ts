/** The command lines of `pets sync` and `pets sources`. */
import { InvalidArgumentError } from '@commander-js/extra-typings'
import { formatExamples, resolveOperatorPath } from '../../command-line/command.ts'
import { ClosedOutputError, type Report } from '../../command-line/report.ts'
import { describeError } from '../../command-line/run-command.ts'
import { exitCodes, UserError } from '../../command-line/user-error.ts'
import { parseDuration } from '../../command-line/utc-time.ts'
import { scanPets } from '../changes/read-pets.ts'
import {
  confirmOption,
  type createEnvironmentCommand,
  runAuditedCommand,
  runEnvironmentCommand,
  whyOption,
} from '../environment/environment-command.ts'
import type { Environment, Operator } from '../environment/open-environment.ts'
import { standardInput } from '../files/read-file.ts'
import { syncFile } from './night.ts'
import { readNight } from './read-night.ts'
import { findLateSources, showSources } from './sources.ts'

const syncDescription =
  "bring a shelter's animals to what its nightly file says: new ones are added, changed ones changed, those that are " +
  'no longer in it removed'

/** Adds the commands that keep the animals of a shelter as its file has them. */
export const addSyncCommands = (command: ReturnType<typeof createEnvironmentCommand>): void => {
  command
    .command('sync')
    .argument('<file>', 'the file as the software of the shelter has written it', parseShelterFile)
    .requiredOption(
      '--source <settings>',
      'the settings of the source, a YAML file such as elm-street.yaml',
      resolveOperatorPath,
    )
    .option('--dry-run', 'only show what would be done')
    .addOption(whyOption)
    .addOption(confirmOption)
    .option('--accept-changes', 'make the changes of a doubtful file too, such as those of a first load')
    .option('--quiet', 'print only what a person should look at')
    .description(syncDescription)
    .addHelpText(
      'after',
      formatExamples('npm run --silent pets -- sync animals.csv --source elm-street.yaml --env staging --dry-run'),
    )
    .action(async (file, { source, dryRun = false, quiet = false, acceptChanges }, subcommand) => {
      const night = await readNight({ file, settings: source })
      const options = subcommand.optsWithGlobals()
      const run = async (environment: Environment, operator: Operator | undefined): Promise<Report | undefined> => {
        const report = await syncFile(environment, operator, night, { acceptChanges })
        if (!quiet) return report
        // A report that is not printed sets no exit code.
        if (report.exitCode !== undefined) process.exitCode = report.exitCode
        return report.textForPerson === '' ? undefined : { ...report, text: report.textForPerson }
      }
      return runForSource(night.source, () =>
        dryRun
          ? runEnvironmentCommand(options, (environment) => run(environment, undefined))
          : runAuditedCommand(options, run),
      )
    })

  command
    .command('sources')
    .option('--older-than <time>', 'only sources without a file for so long, such as 2d or 36h', parseAge)
    .description(
      'each source, its last file, how many of its animals are on the list, and how many are changed by hand; a ' +
        'number that two animals have (exit code 3). With --older-than only sources without a file for so long (exit ' +
        'code 3), or nothing',
    )
    .addHelpText('after', formatExamples('npm run --silent pets -- sources --env production --older-than 2d'))
    .action(({ olderThan }, subcommand) =>
      runEnvironmentCommand(subcommand.optsWithGlobals(), (environment) => {
        if (olderThan !== undefined) return findLateSources(environment, olderThan)
        return showSources(environment, scanPets(environment.database, environment.tables.pets))
      }),
    )
}

/** Runs a night. An error message begins with the source: the mail of several nights names the source nowhere else. */
const runForSource = async (source: string, run: () => Promise<void>): Promise<void> => {
  try {
    await run()
  } catch (error) {
    if (error instanceof ClosedOutputError) throw error
    const message = describeError(error)
    if (message.startsWith(`${source}: `)) throw error
    const exitCode = error instanceof UserError ? error.exitCode : exitCodes.failure
    throw new UserError(`${source}: ${message}`, { cause: error, exitCode })
  }
}

const parseShelterFile = (path: string): string => {
  if (path !== standardInput) return resolveOperatorPath(path)
  throw new InvalidArgumentError('It must be a file. Standard input that breaks off looks like a whole file.')
}

const parseAge = (text: string): number => {
  const milliseconds = parseDuration(text)
  if (!Number.isNaN(milliseconds)) return milliseconds
  throw new InvalidArgumentError('It must be a number of minutes, hours or days, such as 90m, 36h or 2d.')
}
