import { InvalidArgumentError, Option } from '@commander-js/extra-typings'
import { printReport, type Report } from '../../command-line/report.ts'
import { redactApiKeys } from '../../command-line/run-command.ts'
import { createTool, dataFolderOption } from '../../command-line/tool.ts'
import { UserError } from '../../command-line/user-error.ts'
import { environmentNames } from '../../environments.ts'
import { type Audit, openAudit, type Recording, recording } from './audit.ts'
import { type Environment, openEnvironment } from './open-environment.ts'

const notes = `
The AWS SDK's own settings apply, such as AWS_PROFILE and AWS_REGION. Each change is recorded in the audit.

Exit codes: 0 done; 1 not done, or not all, for the reason that is printed; 130 interrupted.`

/** The command line of a tool that works on an environment. Its actions call `reading` or `changing`. */
export const createEnvironmentTool = <const Call extends string>(call: Call, description: string) =>
  createTool(call, description)
    .addOption(
      new Option('--env <name>', 'the environment').choices(['local', ...environmentNames]).makeOptionMandatory(),
    )
    .addOption(dataFolderOption)
    .option('--why <text>', 'the reason of a change, for the audit', readReason)
    .addOption(new Option('--confirm <name>', 'needed for a change of production').choices(['production']))
    .option('--json', 'print one JSON object')
    .addHelpText('after', notes)

const longestReason = 500

function readReason(text: string): string {
  if (redactApiKeys(text) !== text) throw new InvalidArgumentError('It must not contain an API key.')
  if (text.length > longestReason) throw new InvalidArgumentError(`It must have at most ${longestReason} characters.`)
  return text
}

/** In the action of a subcommand, `command.optsWithGlobals()`. */
export type CommandOptions = ReturnType<ReturnType<typeof createEnvironmentTool>['opts']>

/** Where a command works. */
export interface Place extends Environment {
  /** Prints before the command ends, such as an API key before it is issued. */
  readonly print: (report: Report) => Promise<void>
}

export interface ChangingPlace extends Place {
  readonly audit: Audit
  /** Records a change, and then makes it. */
  readonly recorded: Recording
}

/** Opens an environment, acts, and prints the report. Without one, the act has printed. */
export const runReadCommand = async (
  { env, data, json }: CommandOptions,
  act: (place: Place) => Promise<Report | undefined>,
): Promise<void> => {
  using environment = await openEnvironment({ environment: env, data })
  const print = (report: Report) => printReport(report, json === true)
  const report = await act({ ...environment, print })
  if (report !== undefined) await print(report)
}

/** The same for what changes an environment: production must be confirmed, and the audit must be writable. */
export const runChangeCommand = (
  options: CommandOptions,
  act: (place: ChangingPlace) => Promise<Report | undefined>,
): Promise<void> => {
  const { env, confirm, why } = options
  if (confirm !== undefined && confirm !== env) {
    throw new UserError(`--confirm ${confirm} does not name the environment, which is ${env}.`)
  }
  if (env === 'production' && confirm === undefined) {
    throw new UserError('This changes production. If that is meant, add --confirm production.')
  }
  return runReadCommand(options, async (place) => {
    const audit = await openAudit(env, place.auditTrail, why)
    return act({ ...place, audit, recorded: recording(audit) })
  })
}
