import { parseArgs } from 'node:util'
import { UsageError } from '../../infra/command-line/usage-error.ts'
import { type EnvironmentName, environmentNames } from '../../infra/environments.ts'

export interface SmokeCommand {
  readonly environment: EnvironmentName
  /** Where the API answers; `undefined` for the address that its stack tells. */
  readonly url: string | undefined
  readonly only: string | undefined
}

export const usage = `Usage: npm run smoke -- --env ENV [--url URL] [--only TEXT]

Runs the end-to-end suite against a deployed API, with a key that it issues for that and revokes
afterwards. The pets that the suite adds are seen by every caller meanwhile; it deletes them at its end.

  --env ENV    ${environmentNames.join(' or ')}
  --url URL    the API's base URL, if not the one that its stack tells
  --only TEXT  only the tests whose names match this regular expression
  --help       show this

The AWS SDK's own settings apply, such as AWS_PROFILE and AWS_REGION. They must allow to issue keys and
to delete pets.

Exit codes: 0 all tests passed; 1 some did not, or something could not be done, which a line tells.`

/** @throws UsageError that says what to change. */
export const readSmokeCommand = (words: readonly string[]): SmokeCommand | 'help' => {
  const { env, url, only, help } = parse(words)
  if (help) return 'help'
  const environment = environmentNames.find((name) => name === env)
  if (environment === undefined) throw new UsageError(`Name the environment: --env ${environmentNames.join(' or ')}.`)
  if (url !== undefined && !(URL.canParse(url) && /^https?:$/.test(new URL(url).protocol))) {
    throw new UsageError('--url takes the base URL of the API, such as https://api.example.com/v1.')
  }
  return { environment, url: url?.replace(/\/$/, ''), only }
}

const parse = (words: readonly string[]) => {
  const options = {
    env: { type: 'string' },
    url: { type: 'string' },
    only: { type: 'string' },
    help: { type: 'boolean', default: false },
  } as const
  try {
    return parseArgs({ args: [...words], options }).values
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error))
  }
}
