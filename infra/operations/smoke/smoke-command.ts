import { parseArgs } from 'node:util'
import { readBaseUrl } from '../../command-line/base-url.ts'
import { confirmProduction } from '../../command-line/confirm-production.ts'
import { UsageError } from '../../command-line/usage-error.ts'
import { type EnvironmentName, environmentNames } from '../../environments.ts'

export interface SmokeCommand {
  readonly environment: EnvironmentName
  /** Where the API answers; `undefined` for the address that its stack tells. */
  readonly url: string | undefined
  readonly only: string | undefined
}

export const usage = `Usage: npm run smoke -- --env ENV [OPTIONS]

Runs the end-to-end suite against a deployed API, with a key that it issues for that and revokes
afterwards. The pets that the suite adds are seen by every caller meanwhile; it deletes them at its end.

  --env ENV             ${environmentNames.join(' or ')}
  --confirm production  required for production, where callers see the pets of the suite
  --url URL             the API's base URL, if not the one that its stack tells; https, but on this machine
  --only TEXT           only the tests whose names match this regular expression
  --help                show this

The AWS SDK's own settings apply, such as AWS_PROFILE and AWS_REGION. They must allow to issue keys and
to delete pets.

Exit codes: 0 all tests passed; 1 some did not, or something could not be done, which a line tells.`

/** @throws UsageError that says what to change. */
export const readSmokeCommand = (words: readonly string[]): SmokeCommand | 'help' => {
  const { env, url, only, confirm, help } = parse(words)
  if (help) return 'help'
  const environment = environmentNames.find((name) => name === env)
  if (environment === undefined) throw new UsageError(`Name the environment: --env ${environmentNames.join(' or ')}.`)
  confirmProduction(environment, confirm)
  return { environment, url: url === undefined ? undefined : readBaseUrl(url), only }
}

const parse = (words: readonly string[]) => {
  const options = {
    env: { type: 'string' },
    url: { type: 'string' },
    only: { type: 'string' },
    confirm: { type: 'string' },
    help: { type: 'boolean', default: false },
  } as const
  try {
    return parseArgs({ args: [...words], options }).values
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error))
  }
}
