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
  /** Without the suite, which adds pets. */
  readonly readOnly: boolean
  /** Nothing but removing what runs have left. */
  readonly clean: boolean
}

const description =
  'Runs the end-to-end suite against a deployed API, then checks each behaviour of AWS that the service needs and a request shows. It issues keys and revokes them afterwards. Each test removes the pets that it adds. What a killed run has left, the next one removes first, so run one at a time.'

const notes = `
The AWS SDK's own settings apply, such as AWS_PROFILE and AWS_REGION. They must allow to issue keys and
to delete pets.

Exit codes: 0 all is as expected; 1 it is not, or something failed, for the reason that is printed.`

/** @throws UserError that says what to change. */
export const readSmokeCommand = (line: readonly string[]): SmokeCommand => {
  const {
    env,
    confirm,
    url,
    only,
    json,
    readOnly = false,
    clean = false,
  } = tool('npm run smoke --', description)
    .addOption(environmentOption(environmentNames))
    .addOption(confirmOption('for production, where callers see the pets of the suite'))
    .addOption(urlOption)
    .option('--only <text>', 'only the tests whose names match this regular expression')
    .option('--read-only', 'without the suite: adds no pet, only keys')
    .option('--clean', 'only remove what killed runs have left, the keys included')
    .addOption(jsonOption)
    .addHelpText('after', notes)
    .parse(line, { from: 'user' })
    .opts()
  const environment = required(env, environmentFlags)
  // Callers notice neither of the two.
  if (!readOnly && !clean) confirmProduction(environment, confirm)
  return { environment, url, only, json: json === true, readOnly, clean }
}
