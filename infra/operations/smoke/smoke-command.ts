import {
  confirmOption,
  confirmProduction,
  environmentFlags,
  environmentOption,
  jsonOption,
  required,
  urlOption,
} from '../../command-line/options.ts'
import { tool } from '../../command-line/tool.ts'
import { type EnvironmentName, environmentNames } from '../../environments.ts'

export interface SmokeCommand {
  readonly environment: EnvironmentName
  /** The base URL of the API; `undefined` for that of the stack. */
  readonly url: string | undefined
  readonly only: string | undefined
  readonly json: boolean
}

const description =
  'Runs the end-to-end suite against a deployed API, then checks each behaviour of AWS that the service needs and a request shows. It issues keys and revokes them afterwards. Callers see the pets that the suite adds until it deletes them at its end.'

const notes = `
The AWS SDK's own settings apply, such as AWS_PROFILE and AWS_REGION. They must allow to issue keys and
to delete pets.

Exit codes: 0 all is as expected; 1 it is not, or something failed, for the reason that is printed.`

/** @throws UserError that says what to change. */
export const readSmokeCommand = (line: readonly string[]): SmokeCommand => {
  const { env, confirm, url, only, json } = tool('npm run smoke --', description)
    .addOption(environmentOption(environmentNames))
    .addOption(confirmOption('for production, where callers see the pets of the suite'))
    .addOption(urlOption)
    .option('--only <text>', 'only the tests whose names match this regular expression')
    .addOption(jsonOption)
    .addHelpText('after', notes)
    .parse(line, { from: 'user' })
    .opts()
  const environment = required(env, environmentFlags)
  confirmProduction(environment, confirm)
  return { environment, url, only, json: json === true }
}
