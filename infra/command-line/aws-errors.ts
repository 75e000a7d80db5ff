import { printable } from './printable.ts'

/** What the operator can do about an error, by the name that AWS, its SDK or Node.js gives it. */
const advice: readonly (readonly [names: RegExp, sentence: string])[] = [
  [
    /^(ExpiredToken|RequestExpired|TokenProviderError)/,
    'The AWS credentials have expired. Renew them, for example with "aws sso login".',
  ],
  [
    /^CredentialsProviderError$/,
    'No AWS credentials were found. Set AWS_PROFILE, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY; "aws sts get-caller-identity" shows whose they are.',
  ],
  [
    /^(UnrecognizedClient|InvalidClientTokenId|InvalidAccessKeyId|MissingAuthenticationToken|IncompleteSignature)|Signature(Exception|DoesNotMatch)$/,
    'AWS does not accept the credentials. Check AWS_PROFILE, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.',
  ],
  [
    /^(TooManyRequests|Throttling|ProvisionedThroughputExceeded|RequestLimitExceeded)/,
    'AWS throttles the requests of this account at the moment. Retry in a minute.',
  ],
  [/^(AccessDenied|Unauthorized)/, 'The AWS credentials do not allow this: MESSAGE'],
  [
    /^(ECONN|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH)/,
    'AWS is unreachable (MESSAGE). Check the network, AWS_REGION and AWS_ENDPOINT_URL.',
  ],
  [/^(ENOSPC|EDQUOT)$/, 'The disk is full (MESSAGE). Free some space, or choose a folder on another disk.'],
]

/** A sentence on an error of AWS, the network or the disk that the operator can fix; `undefined` for any other. */
export const adviceOn = (error: Error): string | undefined => {
  const code = 'code' in error ? String(error.code) : ''
  // The SDK has no name for these.
  if (/^Region (is missing|not accepted)/.test(error.message)) {
    return 'No valid AWS Region is set. Set AWS_REGION, or AWS_PROFILE to a profile that has one.'
  }
  const [, sentence] = advice.find(([names]) => names.test(error.name) || names.test(code)) ?? []
  return sentence?.replace('MESSAGE', () => printable(error.message || code))
}
