import type { APIGatewayAuthorizerResult, APIGatewayRequestAuthorizerEvent } from 'aws-lambda'
import { type ApiKeyPrefix, hashApiKey, isWellFormed } from '../../shared/api-keys/api-key.ts'
import { bearerToken } from '../../shared/http/bearer-token.ts'
import { authorizerContext } from '../../shared/http/limit-context.ts'
import type { RateLimiter } from '../../shared/rate-limit/rate-limiter.ts'
import { beforeTimeout, type Invocation } from './before-timeout.ts'

/**
 * Decides on every request before its operation runs: checks the API key, counts the request and
 * enforces the limits. It has no middleware, because every request waits for it and there is nothing
 * to parse.
 *
 * @throws Error `Unauthorized`, which API Gateway answers as its UNAUTHORIZED gateway response (401).
 * Any other error, such as a store that is away, is answered as AUTHORIZER_FAILURE (503): nobody gets in uncounted.
 */
export const authorizer =
  (limiter: RateLimiter, prefix: ApiKeyPrefix) =>
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
        Statement: [
          {
            Action: 'execute-api:Invoke',
            Effect: admission.kind === 'admitted' ? 'Allow' : 'Deny',
            Resource: everyMethod(event.methodArn),
          },
        ],
      },
      context: { ...authorizerContext(admission) },
      usageIdentifierKey: keyHash,
    }
  }

/**
 * `arn:...:api/stage/METHOD/path` becomes `arn:...:api/stage/*`. The policy is for this one request, which
 * is never cached; and a caller's path, as long as it likes, has no place in a policy, which AWS limits to
 * 512 characters ("Output from an API Gateway Lambda authorizer").
 */
const everyMethod = (methodArn: string): string => `${methodArn.split('/', 2).join('/')}/*`
