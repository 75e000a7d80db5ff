import type { APIGatewayAuthorizerResult, APIGatewayRequestAuthorizerEvent, Context } from 'aws-lambda'
import { type ApiKeyPrefix, hashApiKey, isWellFormed } from '../../shared/api-keys/api-key.ts'

import { createAuthorizerContext } from '../../shared/http/authorizer-context.ts'
import { readBearerToken } from '../../shared/http/request-headers.ts'
import type { Admission } from '../../shared/rate-limit/admission.ts'
import type { RateLimiter } from '../../shared/rate-limit/rate-limiter.ts'
import { windowSeconds } from '../../shared/rate-limit/windows.ts'
import { authorizerTimeoutSeconds, timeoutMarginMilliseconds } from '../../shared/timeouts.ts'

/**
 * Checks the API key, counts the request and enforces the limits, before the operation runs. The
 * outcomes:
 *
 * - invalid (no key, malformed, unknown, revoked, expired): it throws `Unauthorized`, and API Gateway responds 401 with
 *   its gateway response UNAUTHORIZED.
 * - admitted: the operation runs, and its response shows the limits from the context (`shared/http/response-headers.ts`).
 * - exhausted, banned, throttled: the request is allowed too, with an error code in the context. The operation's
 *   function responds 429 before anything else (`refuseOverLimit` in `shared/http/authorizer-context.ts`). It reads no table.
 * - DynamoDB is unavailable: it throws, and API Gateway responds 503 with AUTHORIZER_CONFIGURATION_ERROR or
 *   AUTHORIZER_FAILURE (sources differ). No request is admitted uncounted.
 *
 * It has no middleware, because every request waits for it and there is nothing to parse.
 *
 * @throws Error `Unauthorized` for an invalid key, any other where the request could not be counted
 */
export const createAuthorizer =
  (limiter: RateLimiter, prefix: ApiKeyPrefix, reservedKey: string) =>
  async (
    event: Pick<APIGatewayRequestAuthorizerEvent, 'methodArn' | 'multiValueHeaders'>,
    invocation: Invocation,
  ): Promise<APIGatewayAuthorizerResult> => {
    const apiKey = readBearerToken(event.multiValueHeaders)
    if (apiKey === undefined || !isWellFormed(apiKey, prefix)) throw new Error('Unauthorized')
    const admission = await awaitBeforeTimeout(invocation, limiter.admit(hashApiKey(apiKey)))
    if (admission.kind === 'invalid') throw new Error('Unauthorized')
    return {
      principalId: admission.record.keyId,
      policyDocument: {
        Version: '2012-10-17',
        Statement: [{ Action: 'execute-api:Invoke', Effect: 'Allow', Resource: allowEveryMethod(event.methodArn) }],
      },
      context: { ...createAuthorizerContext(admission) },
      usageIdentifierKey: chooseGatewayKey(admission, reservedKey),
    }
  }

/**
 * `arn:...:api/stage/METHOD/path` becomes `arn:...:api/stage/*`. The policy is for this one request, which
 * is never cached. AWS limits a policy to 512 characters, which a caller's long path would exceed
 * ("Output from an API Gateway Lambda authorizer").
 */
const allowEveryMethod = (methodArn: string): string => `${methodArn.split('/', 2).join('/')}/*`

/** The remaining time of a function. */
export type Invocation = Pick<Context, 'getRemainingTimeInMillis'>

/** @throws Error when the work does not end before the function's timeout. */
export const awaitBeforeTimeout = async <Value>(invocation: Invocation, work: Promise<Value>): Promise<Value> => {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(
    () => reject(new Error('DynamoDB did not respond before the timeout of the function.')),
    Math.max(0, invocation.getRemainingTimeInMillis() - timeoutMarginMilliseconds),
  )
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}

/**
 * The API Gateway key on which the usage plans meter a request: the caller's own, or the reserved one of a plan without
 * limits. A refused request must not use up the caller's plan at the edge. Nor must an admitted one around midnight,
 * when API Gateway may count it in another day than the table did: the caller would find one day's quota short. A new
 * API Gateway key takes minutes to work at the edge, so the record names the time from which it is used.
 */
export const chooseGatewayKey = (
  { kind, record, now }: Exclude<Admission, { readonly kind: 'invalid' }>,
  reservedKey: string,
): string => {
  const { gatewayKey, meteredFrom = Number.POSITIVE_INFINITY } = record
  const isOwn = kind === 'admitted' && meteredFrom * 1_000 <= now && !isAroundMidnight(now)
  return isOwn ? gatewayKey : reservedKey
}

/** Twice what the authorizer may take, so that clocks may differ a little too. */
const marginSeconds = 2 * authorizerTimeoutSeconds

const isAroundMidnight = (now: number): boolean => {
  const second = (now / 1_000) % windowSeconds.day
  return second < marginSeconds || second >= windowSeconds.day - marginSeconds
}
