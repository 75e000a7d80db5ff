import type { APIGatewayAuthorizerResult, APIGatewayRequestAuthorizerEvent } from 'aws-lambda'
import { type ApiKeyPrefix, hashApiKey, isWellFormed } from '../../shared/api-keys/api-key.ts'
import { bearerToken } from '../../shared/http/bearer-token.ts'
import { authorizerContext } from '../../shared/http/limit-context.ts'
import type { RateLimiter } from '../../shared/rate-limit/rate-limiter.ts'
import { beforeTimeout, type Invocation } from './before-timeout.ts'
import { meteredKey } from './metered-key.ts'

/**
 * Checks the API key, counts the request and enforces the limits, before the operation runs. What becomes of each
 * outcome:
 *
 * - invalid (no key, malformed, unknown, revoked, expired): it throws `Unauthorized`, and API Gateway responds 401 with
 *   its gateway response UNAUTHORIZED.
 * - admitted: the operation runs, and its response shows the limits from the context (`shared/http/common-headers.ts`).
 * - exhausted, banned, throttled: the request is allowed too, with an error code in the context. The operation's
 *   function responds 429 before anything else (`shared/http/refuse-over-limit.ts`). It reads no table.
 * - DynamoDB is unavailable: it throws, and API Gateway responds 503 with AUTHORIZER_CONFIGURATION_ERROR or
 *   AUTHORIZER_FAILURE (sources differ). No request is admitted uncounted.
 *
 * It has no middleware, because every request waits for it and there is nothing to parse.
 *
 * @throws Error `Unauthorized` for an invalid key, any other where the request could not be counted
 */
export const authorizer =
  (limiter: RateLimiter, prefix: ApiKeyPrefix, reservedKey: string) =>
  async (
    event: Pick<APIGatewayRequestAuthorizerEvent, 'methodArn' | 'multiValueHeaders'>,
    invocation: Invocation,
  ): Promise<APIGatewayAuthorizerResult> => {
    const apiKey = bearerToken(event.multiValueHeaders)
    if (apiKey === undefined || !isWellFormed(apiKey, prefix)) throw new Error('Unauthorized')
    const keyHash = hashApiKey(apiKey)
    const admission = await beforeTimeout(invocation, limiter.admit(keyHash))
    if (admission.kind === 'invalid') throw new Error('Unauthorized')
    return {
      principalId: admission.record.keyId,
      policyDocument: {
        Version: '2012-10-17',
        Statement: [{ Action: 'execute-api:Invoke', Effect: 'Allow', Resource: everyMethod(event.methodArn) }],
      },
      context: { ...authorizerContext(admission) },
      usageIdentifierKey: meteredKey(admission, keyHash, reservedKey),
    }
  }

/**
 * `arn:...:api/stage/METHOD/path` becomes `arn:...:api/stage/*`. The policy is for this one request, which
 * is never cached; and a caller's path, as long as it likes, has no place in a policy, which AWS limits to
 * 512 characters ("Output from an API Gateway Lambda authorizer").
 */
const everyMethod = (methodArn: string): string => `${methodArn.split('/', 2).join('/')}/*`
