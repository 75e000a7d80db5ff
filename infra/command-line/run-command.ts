import { inspect } from 'node:util'
import { CommanderError } from '@commander-js/extra-typings'
import { printable, printableLines } from './printable.ts'
import { UserError } from './user-error.ts'

/**
 * Runs a command-line tool. An error ends it with one line on standard error, and with 1 or the error's own exit code.
 * DEBUG shows where it comes from.
 */
export const runCommand = async (run: () => unknown): Promise<void> => {
  try {
    await run()
  } catch (error) {
    process.exitCode = error instanceof UserError || error instanceof CommanderError ? error.exitCode : 1
    // commander has written what is wrong, or the help.
    if (error instanceof CommanderError) return
    console.error(redactApiKeys(describeError(error)))
    if (process.env['DEBUG'] !== undefined) console.error(redactApiKeys(printableLines(inspect(error))))
  }
}

/** An operator may paste an API key where it does not belong; a message would then put it into logs. */
export const redactApiKeys = (text: string): string => text.replaceAll(/(pet_(?:live|test)_)[0-9A-Za-z]+/g, '$1...')

/** What a command says of an error that ends it, or its work. */
export const describeError = (error: unknown): string => {
  if (error instanceof UserError) return printableLines(error.message)
  const { name, message, code }: Error & { code?: unknown } = error instanceof Error ? error : new Error(String(error))
  const text = [name, code, message].join('\n')
  const unknown = 'An unexpected error: MESSAGE (set DEBUG=1 to see where)'
  const [sentence] = Object.entries(sentences).find(([, kinds]) => kinds.test(text)) ?? [unknown]
  return sentence.replace('MESSAGE', () => printable(message || String(code ?? name)))
}

/** What the operator can do about an error, by the name that AWS, its SDK or Node.js gives it, or by its message. */
const sentences: Readonly<Record<string, RegExp>> = {
  'The AWS credentials have expired (MESSAGE). Renew them, such as with "aws sso login".':
    /^(ExpiredToken|RequestExpired|TokenProviderError)/m,
  'AWS needs other credentials (MESSAGE). Check AWS_PROFILE, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.':
    /^(CredentialsProvider|UnrecognizedClient|Invalid(ClientTokenId|AccessKeyId)|MissingAuth|IncompleteSig)|Signature(Ex|Does)/m,
  'The AWS credentials do not allow this: MESSAGE': /^(AccessDenied|Unauthorized)/m,
  'AWS throttles this account. Retry in a minute.': /^(TooManyRequests|Throttling|ProvisionedThroughput|RequestLimit)/m,
  'MESSAGE. Set AWS_REGION, or AWS_PROFILE to a profile that has a Region.': /^Region (is missing|not accepted)/m,
  'Nothing responds (MESSAGE). Check that the local environment runs; on AWS the network, AWS_REGION and AWS_ENDPOINT_URL.':
    /^(ECONN|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH)/m,
  'The disk is full (MESSAGE). Free some space, or choose a folder on another disk.': /^(ENOSPC|EDQUOT)$/m,
  'Nothing reads the output any more.': /^EPIPE$/m,
}
