import { InvalidArgumentError, Option } from '@commander-js/extra-typings'
import { printReport, type Report } from '../../command-line/report.ts'
import { withoutKeys } from '../../command-line/run-command.ts'
import { dataOption, tool } from '../../command-line/tool.ts'
import { UserError } from '../../command-line/user-error.ts'
import { environmentNames } from '../../environments.ts'
import { type Audit, openAudit, type Recording, recording } from './audit.ts'
import { type OpenEnvironment, openEnvironment } from './open-environment.ts'

const notes = `
The AWS SDK's own settings apply, such as AWS_PROFILE and AWS_REGION. Each change is recorded in the audit.

Exit codes: 0 done; 1 not done, or not all, for the reason that is printed; 130 interrupted.`

/** The command line of a tool that works on an environment. Its actions call `reading` or `changing`. */
export const environmentTool = <const Call extends string>(call: Call, description: string) =>
  tool(call, description)
    .addOption(
      new Option('--env <name>', 'the environment').choices(['local', ...environmentNames]).makeOptionMandatory(),
    )
    .addOption(dataOption)
    .option('--why <text>', 'the reason of a change, for the audit', readReason)
    .addOption(new Option('--confirm <name>', 'needed for a change of production').choices(['production']))
    .option('--json', 'print one JSON object')
    .addHelpText('after', notes)

const longestReason = 500

function readReason(text: string): string {
  if (withoutKeys(text) !== text) throw new InvalidArgumentError('It must not contain an API key.')
  if (text.length > longestReason) throw new InvalidArgumentError(`It must have at most ${longestReason} characters.`)
  return text
}

/** In the action of a subcommand, `command.optsWithGlobals()`. */
export type EnvironmentOptions = ReturnType<ReturnType<typeof environmentTool>['opts']>

/** Where a command works. */
export interface Place extends OpenEnvironment {
  /** Prints before the command ends, such as an API key before it is issued. */
  readonly print: (report: Report) => Promise<void>
}

export interface ChangingPlace extends Place {
  readonly audit: Audit
  /** Records a change, and then makes it. */
  readonly recorded: Recording
}

/** Opens an environment, acts, and prints the report. Without one, the act has printed. */
export const reading = async (
  { env, data, json }: EnvironmentOptions,
  act: (place: Place) => Promise<Report | undefined>,
): Promise<void> => {
  using environment = await openEnvironment({ environment: env, data })
  const print = (report: Report) => printReport(report, json === true)
  const report = await act({ ...environment, print })
  if (report !== undefined) await print(report)
}

/** The same for what changes an environment: production must be confirmed, and the audit must be writable. */
export const changing = (
  options: EnvironmentOptions,
  act: (place: ChangingPlace) => Promise<Report | undefined>,
): Promise<void> => {
  const { env, confirm, why } = options
  if (confirm !== undefined && confirm !== env) {
    throw new UserError(`--confirm ${confirm} does not name the environment, which is ${env}.`)
  }
  if (env === 'production' && confirm === undefined) {
    throw new UserError('This changes production. If that is meant, add --confirm production.')
  }
  return reading(options, async (place) => {
    const audit = await openAudit(env, place.auditTrail, why)
    return act({ ...place, audit, recorded: recording(audit) })
  })
}
