/** The options of the commands that work on an environment, and the steps that run such a command. */
import { InvalidArgumentError, Option } from '@commander-js/extra-typings'
import { createCommand, dataFolderOption } from '../../command-line/command.ts'
import { exitAtInterruption } from '../../command-line/interruption.ts'
import { ClosedOutputError, printReport, type Report } from '../../command-line/report.ts'
import { describeError, redactApiKeys } from '../../command-line/run-command.ts'
import { exitCodes, UsageError, UserError } from '../../command-line/user-error.ts'
import { environmentNames } from '../../environments.ts'
import { type Environment, findOperator, type Operator, openEnvironment } from './open-environment.ts'

/** Notes about all commands, for the end of the help of `npm run pets`. */
export const commonNotes = `
Exit codes of all commands:
  ${exitCodes.done}    done
  ${exitCodes.failure}    not done, or not all, for the reason that is printed
  ${exitCodes.usage}    the command line is wrong: nothing was changed
  ${exitCodes.conflict}    look at what is printed: a key, pet or row stays as it is, because
       somebody else has changed it, its state forbids the change, or it cannot
       be understood
  ${exitCodes.refusedFile}    the file is refused: nothing was changed
  ${exitCodes.interruption}  interrupted: run the same command again

The AWS SDK's own settings apply, such as AWS_PROFILE and AWS_REGION.
Relative paths begin in the folder where you call npm.`

const maximumReasonLength = 500

/** Parses the reason of a change. It must not contain an API key, because the audit keeps the reason for a year. */
const parseReason = (text: string): string => {
  if (redactApiKeys(text) !== text) throw new InvalidArgumentError('It must not contain an API key.')
  if (text.length > maximumReasonLength) {
    throw new InvalidArgumentError(`It must have at most ${maximumReasonLength} characters.`)
  }
  return text
}

/**
 * Creates the command line of a command that works on an environment. Its actions call `runEnvironmentCommand`.
 *
 * @param call how the command is called, for example `npm run audit --`
 */
export const createEnvironmentCommand = <const Call extends string>(call: Call, description: string) =>
  createCommand(call, description)
    .addOption(
      new Option('--env <name>', 'the environment')
        .choices(['local', ...environmentNames])
        .env('PET_ENVIRONMENT')
        .makeOptionMandatory(),
    )
    .addOption(dataFolderOption)
    .option('--json', 'print JSON')

/** `whyOption` and `confirmOption` are options of each command that changes something. */
export const whyOption = new Option('--why <text>', 'the reason of the change, for the audit').argParser(parseReason)

export const confirmOption = new Option(
  '--confirm <name>',
  'the environment once more; needed for a change of production',
).choices(['local', ...environmentNames])

/** Options of every command that works on an environment, as `command.optsWithGlobals()` returns them. */
type EnvironmentOptions = ReturnType<ReturnType<typeof createEnvironmentCommand>['opts']>

/** Options of a command whose changes are in the audit: those of the environment, `whyOption` and `confirmOption`. */
export interface ChangeOptions extends EnvironmentOptions {
  readonly why?: string | undefined
  readonly confirm?: string | undefined
}

/**
 * Runs a command without records in the audit: opens the environment, runs the command and prints its report.
 *
 * @example
 * runEnvironmentCommand(command.optsWithGlobals(), (environment) => showPets(environment, ids))
 *
 * @param run returns undefined if it has printed its output itself
 */
export const runEnvironmentCommand = async (
  { env, data, json }: EnvironmentOptions,
  run: (environment: Environment) => Promise<Report | undefined>,
): Promise<void> => {
  using _interruption = exitAtInterruption()
  using environment = await openEnvironment({ name: env, dataFolder: data })
  const report = await run(environment)
  if (report !== undefined) await printReport(report, json === true)
}

/** @throws UsageError if a change of production is not confirmed, or if another environment is */
const checkConfirmation = ({ env, confirm }: ChangeOptions): void => {
  if (confirm !== undefined && confirm !== env) {
    throw new UsageError(`--confirm ${confirm} does not name the environment, which is ${env}.`)
  }
  if (env === 'production' && confirm === undefined) {
    throw new UsageError('This changes production. If that is meant, add --confirm production.')
  }
}

/**
 * Runs a command that changes an environment, and records each change in the audit. A change of production must be
 * confirmed.
 *
 * @example
 * runAuditedCommand(options, (environment, operator) => removePets({ environment, operator }, ids))
 */
export const runAuditedCommand = async (
  options: ChangeOptions,
  run: (environment: Environment, operator: Operator) => Promise<Report | undefined>,
): Promise<void> => {
  checkConfirmation(options)
  await runEnvironmentCommand(options, async (environment) => {
    const report = await run(environment, await findOperator(environment, options.why))
    if (report !== undefined) await printReportOfChanges(report, options)
    // Nothing is left to print.
    return undefined
  })
}

/** @throws UserError if the output cannot be written, for example to a full disk: the changes are made all the same */
const printReportOfChanges = async (report: Report, { json }: ChangeOptions): Promise<void> => {
  try {
    await printReport(report, json === true)
  } catch (cause) {
    if (cause instanceof ClosedOutputError) throw cause
    const advice = 'Only the report is missing: "npm run audit" shows the changes that were made.'
    throw new UserError(`${describeError(cause)} ${advice}`, { cause })
  }
}
