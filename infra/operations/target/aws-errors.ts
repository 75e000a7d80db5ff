import { printable } from '../../command-line/printable.ts'
import { UserError } from '../../command-line/user-error.ts'

/** What the operator can fix, by the names that AWS and its SDK give to errors. */
const advice: readonly { readonly names: readonly string[]; readonly sentence: string }[] = [
  {
    names: ['ExpiredToken', 'ExpiredTokenException', 'RequestExpired', 'TokenProviderError'],
    sentence: 'The AWS credentials have expired. Renew them, for example with "aws sso login".',
  },
  {
    names: ['CredentialsProviderError'],
    sentence:
      'No AWS credentials were found. Set AWS_PROFILE, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY; "aws sts get-caller-identity" shows whose they are.',
  },
  {
    names: [
      'UnrecognizedClientException',
      'InvalidClientTokenId',
      'InvalidAccessKeyId',
      'InvalidSignatureException',
      'SignatureDoesNotMatch',
      'IncompleteSignature',
      'MissingAuthenticationToken',
      'MissingAuthenticationTokenException',
    ],
    sentence: 'AWS does not accept the credentials. Check AWS_PROFILE, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.',
  },
  {
    names: ['TooManyRequestsException', 'ThrottlingException', 'Throttling', 'ProvisionedThroughputExceededException'],
    sentence: 'AWS throttles the requests of this account at the moment. Retry in a minute.',
  },
]

const unreachable = ['ECONNREFUSED', 'ECONNRESET', 'ENOTFOUND', 'EAI_AGAIN', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH']

/** Runs a task on AWS, and explains in a sentence a failure that the operator can fix. */
export const withUserErrors = async <Result>(task: () => Promise<Result>): Promise<Result> => {
  try {
    return await task()
  } catch (error) {
    throw toUserError(error)
  }
}

const toUserError = (error: unknown): unknown => {
  if (!(error instanceof Error) || error instanceof UserError) return error
  const known = advice.find(({ names }) => names.includes(error.name))
  if (known !== undefined) return new UserError(known.sentence, { cause: error })
  // The SDK has no name for these two.
  if (/^Region (is missing|not accepted)/.test(error.message)) {
    return new UserError('No valid AWS Region is set. Set AWS_REGION, or AWS_PROFILE to a profile that has one.', {
      cause: error,
    })
  }
  if (/^AccessDenied(Exception)?$|^UnauthorizedException$/.test(error.name)) {
    return new UserError(`The AWS credentials do not allow this: ${printable(error.message)}`, { cause: error })
  }
  if ('code' in error && unreachable.includes(String(error.code))) {
    return new UserError(
      `AWS is unreachable (${printable(error.message || String(error.code))}). Check the network, AWS_REGION and AWS_ENDPOINT_URL.`,
      { cause: error },
    )
  }
  return error
}

/**
 * Why long work on a table stopped, without a period; undefined for a fault of the command. The SDK marks every error that
 * it met.
 */
export const reasonOfStop = (error: unknown): string | undefined => {
  if (!(error instanceof UserError) && !(error instanceof Error && '$metadata' in error)) return undefined
  return error.message === '' ? 'DynamoDB is unreachable' : printable(error.message.replace(/\.$/, ''))
}
