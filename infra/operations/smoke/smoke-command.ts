import {
  confirmOption,
  confirmProduction,
  environmentFlags,
  environmentOption,
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
}

const description =
  'Runs the end-to-end suite against a deployed API, with a key that it issues and revokes afterwards. Callers see the pets that the suite adds until it deletes them at its end.'

const notes = `
The AWS SDK's own settings apply, such as AWS_PROFILE and AWS_REGION. They must allow to issue keys and
to delete pets.

Exit codes: 0 all tests passed; 1 some did not, or something failed, for the reason that is printed.`

/** @throws UserError that says what to change. */
export const readSmokeCommand = (line: readonly string[]): SmokeCommand => {
  const { env, confirm, url, only } = tool('npm run smoke --', description)
    .addOption(environmentOption(environmentNames))
    .addOption(confirmOption('for production, where callers see the pets of the suite'))
    .addOption(urlOption)
    .option('--only <text>', 'only the tests whose names match this regular expression')
    .addHelpText('after', notes)
    .parse(line, { from: 'user' })
    .opts()
  const environment = required(env, environmentFlags)
  confirmProduction(environment, confirm)
  return { environment, url, only }
}
