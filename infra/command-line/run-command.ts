/** Runs a command, and turns errors into messages that say what the operator can do. */
import { inspect } from 'node:util'
import { CommanderError } from '@commander-js/extra-typings'
import { makeLinesPrintable, makePrintable } from './printable.ts'
import { ClosedOutputError } from './report.ts'
import { exitCodes, UserError } from './user-error.ts'

/** An error that an operator can do something about. */
interface KnownError {
  /** Matches the error's name, code or message, which AWS, its SDK or Node.js has set. Each is a line of the text. */
  readonly pattern: RegExp
  /** Returns the message for the operator. */
  readonly describe: (message: string) => string
}

/** The errors that operators meet. If several match, the first one is shown. */
const knownErrors: readonly KnownError[] = [
  {
    pattern: /^(AccessDenied|Unauthorized)/m,
    describe: (message) => `The AWS credentials do not allow this (${message}).`,
  },
  {
    pattern: /^(Expired|TokenProvider|CredentialsProvider|UnrecognizedClient|InvalidClientToken)|^\w*Signature/m,
    describe: (message) =>
      `AWS needs other credentials (${message}). Renew them, such as with "aws sso login", or check AWS_PROFILE.`,
  },
  {
    pattern: /^Region (is missing|not accepted)/m,
    describe: (message) => `${message}. Set AWS_REGION, or AWS_PROFILE to a profile that has a Region.`,
  },
  {
    pattern: /^TimeoutError/m,
    describe: () =>
      'Nothing has answered in time. Check the network and its proxy (HTTPS_PROXY with NODE_USE_ENV_PROXY=1), ' +
      'AWS_REGION and AWS_ENDPOINT_URL, or whether the local environment hangs.',
  },
  {
    pattern: /^(ECONN|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH)/m,
    describe: (message) =>
      `Nothing responds (${message}). Check that the local environment runs; ` +
      'on AWS the network, AWS_REGION and AWS_ENDPOINT_URL.',
  },
]

/**
 * Runs a command. If it fails, the process gets an exit code (`exitCodes`), and standard error the message. The stack
 * follows if the environment variable DEBUG is set.
 *
 * @example
 * await runCommand(() => command.parseAsync(words, { from: 'user' }))
 */
export const runCommand = async (run: () => unknown): Promise<void> => {
  try {
    await run()
  } catch (error) {
    endWithError(error)
  }
}

const endWithError = (error: unknown): void => {
  if (error instanceof CommanderError) {
    // Commander has printed its message, or the help.
    process.exitCode = error.exitCode === 0 ? exitCodes.done : exitCodes.usage
    return
  }
  // The command is done, and whoever reads its output has read enough.
  if (error instanceof ClosedOutputError) return

  process.exitCode = error instanceof UserError ? error.exitCode : exitCodes.failure
  console.error(redactApiKeys(describeError(error)))
  if (process.env['DEBUG'] !== undefined) console.error(redactApiKeys(makeLinesPrintable(inspect(error))))
}

/**
 * A NUL, as it is or as `makePrintable` shows it. It follows each character of a file that Windows saved as UTF-16, and
 * that was read as UTF-8.
 */
const nul = String.raw`(?:\0|\\u\{0\})?`

/** Creates the pattern of a text in UTF-8, or in UTF-16 that was read as UTF-8. */
const createPattern = (text: string): string => [...text].map((character) => character + nul).join('')

const apiKeyPattern = new RegExp(
  `((?:${createPattern('pet_live_')}|${createPattern('pet_test_')}))(?:[0-9A-Za-z]${nul})+`,
  'g',
)

/**
 * Replaces API keys by `pet_live_...` or `pet_test_...`. An operator may paste a key where it does not belong, and a
 * message would then put it into logs.
 */
export const redactApiKeys = (text: string): string => text.replaceAll(apiKeyPattern, '$1...')

/** Describes an error in printable lines. They end with a full stop, because callers add a sentence of advice. */
export const describeError = (error: unknown): string => {
  if (error instanceof UserError) return makeLinesPrintable(error.message)

  const anyError: Error & { readonly code?: unknown } = error instanceof Error ? error : new Error(String(error))
  const { name, message, code } = anyError
  const shownMessage = makePrintable(message || String(code ?? name))
  const lines = [name, code, message].join('\n')

  const knownError = knownErrors.find(({ pattern }) => pattern.test(lines))
  if (knownError !== undefined) return knownError.describe(shownMessage)
  return `An unexpected error: ${shownMessage} (set DEBUG=1 to see where).`
}
