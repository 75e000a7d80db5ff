/** Runs a command, and turns errors into messages that say what the operator can do. */
import { inspect } from 'node:util'
import { CommanderError } from '@commander-js/extra-typings'
import { makeLinesPrintable, makePrintable } from './printable.ts'
import { ClosedOutputError } from './report.ts'
import { exitCodes, UserError } from './user-error.ts'

/** An error that an operator can do something about. */
interface KnownError {
  /** Pattern of a line that is the name of the error, its code or its message. AWS, its SDK or Node.js sets them. */
  readonly pattern: RegExp
  /** Returns the message for the operator. */
  readonly describe: (message: string) => string
}

const describeWrongCredentials = (message: string): string =>
  `AWS needs other credentials (${message}). Check AWS_PROFILE, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.`

/** Known errors. The first one that matches counts. */
const knownErrors: readonly KnownError[] = [
  {
    pattern: /^(ExpiredToken|RequestExpired|TokenProviderError)/m,
    describe: (message) => `The AWS credentials have expired (${message}). Renew them, such as with "aws sso login".`,
  },
  {
    pattern: /^(CredentialsProvider|UnrecognizedClient|InvalidClientTokenId|InvalidAccessKeyId)/m,
    describe: describeWrongCredentials,
  },
  {
    pattern: /^(MissingAuth|IncompleteSig)|Signature(Exception|Expired|DoesNotMatch)/m,
    describe: describeWrongCredentials,
  },
  {
    pattern: /^(AccessDenied|Unauthorized)/m,
    describe: (message) => `The AWS credentials do not allow this: ${message}`,
  },
  {
    pattern: /^(TooManyRequests|Throttling|ProvisionedThroughput|RequestLimit)/m,
    describe: () => 'AWS throttles this account. Retry in a minute.',
  },
  {
    pattern: /^Region (is missing|not accepted)/m,
    describe: (message) => `${message}. Set AWS_REGION, or AWS_PROFILE to a profile that has a Region.`,
  },
  {
    pattern: /^(ECONN|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH)/m,
    describe: (message) =>
      `Nothing responds (${message}). Check that the local environment runs; ` +
      'on AWS the network, AWS_REGION and AWS_ENDPOINT_URL.',
  },
  {
    pattern: /^(ENOSPC|EDQUOT)(:|$)/m,
    describe: (message) =>
      `The disk is full (${message}). Free some space, or choose another folder: TMPDIR sets that of temporary files.`,
  },
  {
    pattern: /^(EACCES|EPERM|EROFS)(:|$)/m,
    describe: (message) => `This user may not do that (${message}). Change the permissions, or choose another folder.`,
  },
  {
    pattern: /^(ENOENT|ENOTDIR|EISDIR)(:|$)/m,
    describe: (message) => `No file can be read or written there (${message}). Choose another path.`,
  },
  {
    pattern: /^ENAMETOOLONG(:|$)/m,
    describe: (message) => `The name of a file is too long (${message}). Choose a shorter name.`,
  },
]

/**
 * Runs a command-line tool. If it fails, the process gets an exit code (`exitCodes`), and standard error the message.
 * With the environment variable DEBUG the stack follows.
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
 * Replaces API keys by `pet_live_...` or `pet_test_...`. An operator may paste a key where it does not belong, and a
 * message would then put it into logs.
 */
export const redactApiKeys = (text: string): string => text.replaceAll(/(pet_(?:live|test)_)[0-9A-Za-z]+/g, '$1...')

/** Describes an error in one or more printable lines. */
export const describeError = (error: unknown): string => {
  if (error instanceof UserError) return makeLinesPrintable(error.message)

  const anyError: Error & { readonly code?: unknown } = error instanceof Error ? error : new Error(String(error))
  const { name, message, code } = anyError
  const shownMessage = makePrintable(message || String(code ?? name))
  const lines = [name, code, message].join('\n')

  const knownError = knownErrors.find(({ pattern }) => pattern.test(lines))
  if (knownError !== undefined) return knownError.describe(shownMessage)
  return `An unexpected error: ${shownMessage} (set DEBUG=1 to see where)`
}
