import type { APIGatewayAuthorizerResult, APIGatewayRequestAuthorizerEvent, Context } from 'aws-lambda'
import { type ApiKeyPrefix, hashApiKey, isWellFormed } from '../../shared/api-keys/api-key.ts'
import { readBearerToken } from '../../shared/http/request/request-headers.ts'
import type { RateLimiter } from '../../shared/rate-limit/rate-limiter.ts'
import { timeoutMarginMilliseconds } from '../../shared/timeouts.ts'
import { createAuthorizerContext } from './create-context.ts'
import { chooseGatewayKey } from './metering.ts'

/** The part of the authorizer event that the authorizer reads. */
type AuthorizerEvent = Pick<APIGatewayRequestAuthorizerEvent, 'methodArn' | 'multiValueHeaders'>

/** The part of the Lambda context that tells the remaining time of a function. */
type Invocation = Pick<Context, 'getRemainingTimeInMillis'>

/**
 * Creates the authorizer. For each request it checks the API key, counts the request and enforces the limits, before
 * the operation runs. The outcomes:
 *
 * - invalid (the key is missing, malformed, unknown, revoked or expired): the request is denied, and API Gateway
 *   responds 401 with its gateway response ACCESS_DENIED. Nothing is logged.
 * - admitted: the operation runs. Its response shows the limits from the context
 *   (`shared/http/response/response-headers.ts`).
 * - exhausted, banned, uncounted: the request is allowed too, with an error code in the context. The function of the
 *   operation responds 429 or 503 before anything else, and reads no table (`refuseUnlessAdmitted` in
 *   `shared/http/request/refusals.ts`).
 * - no decision (DynamoDB is unavailable, the record of the key is malformed, or the code has a fault): the authorizer
 *   throws, so no request is admitted uncounted. Lambda logs the error, and API Gateway responds 503 with one of two
 *   gateway responses: one page of AWS names AUTHORIZER_CONFIGURATION_ERROR, another AUTHORIZER_FAILURE.
 *
 * The authorizer has no middleware, because every request waits for it and nothing needs to be parsed.
 *
 * @param unlimitedKey value of the unlimited gateway key (`metering.ts`)
 */
export const createAuthorizer =
  (limiter: RateLimiter, prefix: ApiKeyPrefix, unlimitedKey: string) =>
  async (event: AuthorizerEvent, invocation: Invocation): Promise<APIGatewayAuthorizerResult> => {
    const apiKey = readBearerToken(event.multiValueHeaders)
    if (apiKey === undefined || !isWellFormed(apiKey, prefix)) return deny(event)

    // The calls to DynamoDB end before the timeout of the function, because there Lambda would end the whole instance.
    const remainingMilliseconds = invocation.getRemainingTimeInMillis() - timeoutMarginMilliseconds
    const signal = AbortSignal.timeout(Math.max(0, remainingMilliseconds))
    const decision = await limiter.decide(hashApiKey(apiKey), signal)
    if (decision.kind === 'invalid') return deny(event)

    return {
      principalId: decision.record.keyId,
      policyDocument: createPolicy('Allow', event),
      context: createAuthorizerContext(decision),
      usageIdentifierKey: chooseGatewayKey(decision, unlimitedKey),
    }
  }

const deny = (event: AuthorizerEvent): APIGatewayAuthorizerResult => ({
  principalId: 'unknown',
  policyDocument: createPolicy('Deny', event),
})

const createPolicy = (
  effect: 'Allow' | 'Deny',
  { methodArn }: AuthorizerEvent,
): APIGatewayAuthorizerResult['policyDocument'] => ({
  Version: '2012-10-17',
  Statement: [{ Action: 'execute-api:Invoke', Effect: effect, Resource: createStageWildcard(methodArn) }],
})

/**
 * Shortens `arn:...:api/stage/METHOD/path` to `arn:...:api/stage/*`. The ARN of a resource has at most 512 characters,
 * which a long path would exceed ("Output from an API Gateway Lambda authorizer"). The wildcard allows or denies no
 * other request, because API Gateway applies the policy to this request and does not cache it.
 */
const createStageWildcard = (methodArn: string): string => `${methodArn.split('/', 2).join('/')}/*`
