import type { APIGatewayAuthorizerResult, APIGatewayRequestAuthorizerEvent, Context } from 'aws-lambda'
import { type ApiKeyPrefix, hashApiKey, isWellFormed } from '../../shared/api-keys/api-key.ts'
import { fitsUsagePlan } from '../../shared/api-keys/plans.ts'
import { isStoreUnavailable, LateStoreError } from '../../shared/dynamodb/store-errors.ts'
import { createAuthorizerContext } from '../../shared/http/authorizer-context.ts'
import { readBearerToken } from '../../shared/http/request/request-headers.ts'
import { logFailure } from '../../shared/http/response/log-failure.ts'
import type { Decision, DecisionOfKey } from '../../shared/rate-limit/decision.ts'
import type { RateLimiter } from '../../shared/rate-limit/rate-limiter.ts'
import { windowSeconds } from '../../shared/rate-limit/windows.ts'
import { authorizerTimeoutSeconds, timeoutMarginMilliseconds } from '../../shared/timeouts.ts'

/** The part of the authorizer event that the authorizer reads. */
type AuthorizerEvent = Pick<APIGatewayRequestAuthorizerEvent, 'methodArn' | 'multiValueHeaders' | 'requestContext'>

/** The part of the Lambda context that tells the remaining time of a function. */
export type Invocation = Pick<Context, 'getRemainingTimeInMillis'>

/**
 * Creates the authorizer. For each request it checks the API key, counts the request and enforces the limits, before
 * the operation runs. The outcomes:
 *
 * - invalid (the key is missing, malformed, unknown, revoked or expired): the authorizer throws `Unauthorized`, and
 *   API Gateway responds 401 with its gateway response UNAUTHORIZED.
 * - admitted: the operation runs. Its response shows the limits from the context (`shared/http/response-headers.ts`).
 * - exhausted, banned, throttled: the request is allowed too, with an error code in the context. The function of the
 *   operation responds 429 before anything else and reads no table (`refuseOverLimit` in `shared/http/refusals.ts`).
 * - DynamoDB is unavailable: the request is denied, and API Gateway responds 503 with its gateway response
 *   ACCESS_DENIED. No request is admitted uncounted.
 * - any other error, which is a fault of this service: the authorizer throws it, and API Gateway responds 500 with
 *   AUTHORIZER_CONFIGURATION_ERROR or AUTHORIZER_FAILURE (the documents of AWS differ).
 *
 * The authorizer has no middleware, because every request waits for it and nothing needs to be parsed.
 */
export const createAuthorizer =
  (limiter: RateLimiter, prefix: ApiKeyPrefix, unlimitedKey: string) =>
  async (event: AuthorizerEvent, invocation: Invocation): Promise<APIGatewayAuthorizerResult> => {
    const apiKey = readBearerToken(event.multiValueHeaders)
    if (apiKey === undefined || !isWellFormed(apiKey, prefix)) throw new Error('Unauthorized')

    const keyHash = hashApiKey(apiKey)
    const logError = (error: unknown): void =>
      logFailure({ operation: 'authorizer', requestContext: event.requestContext, keyHash }, error)

    const decision = await admitIfAvailable(awaitBeforeTimeout(invocation, limiter.decide(keyHash)), logError)
    if (decision === undefined) return { principalId: 'unknown', policyDocument: createPolicy('Deny', event) }
    if (decision.kind === 'invalid') throw new Error('Unauthorized')

    return {
      principalId: decision.record.keyId,
      policyDocument: createPolicy('Allow', event),
      context: { ...createAuthorizerContext(decision) },
      usageIdentifierKey: chooseGatewayKey(decision, unlimitedKey),
    }
  }

/** Returns a decision, or undefined if DynamoDB is unavailable. Logs every error. */
const admitIfAvailable = async (
  decision: Promise<Decision>,
  logError: (error: unknown) => void,
): Promise<Decision | undefined> => {
  try {
    return await decision
  } catch (error) {
    logError(error)
    if (!isStoreUnavailable(error)) throw error
    return undefined
  }
}

const createPolicy = (
  effect: 'Allow' | 'Deny',
  { methodArn }: AuthorizerEvent,
): APIGatewayAuthorizerResult['policyDocument'] => ({
  Version: '2012-10-17',
  Statement: [{ Action: 'execute-api:Invoke', Effect: effect, Resource: createStageWildcard(methodArn) }],
})

/**
 * Shortens `arn:...:api/stage/METHOD/path` to `arn:...:api/stage/*`. AWS limits a policy to 512 characters, which a
 * long path would exceed ("Output from an API Gateway Lambda authorizer"). The wildcard allows no other request,
 * because API Gateway applies the policy to this request and does not cache it.
 */
const createStageWildcard = (methodArn: string): string => `${methodArn.split('/', 2).join('/')}/*`

/**
 * Awaits work for as long as the function may run.
 *
 * @throws LateStoreError if the work has not ended shortly before the timeout of the function
 */
export const awaitBeforeTimeout = async <Value>(invocation: Invocation, work: Promise<Value>): Promise<Value> => {
  const { promise: timeout, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(
    () => reject(new LateStoreError()),
    Math.max(0, invocation.getRemainingTimeInMillis() - timeoutMarginMilliseconds),
  )
  try {
    return await Promise.race([work, timeout])
  } finally {
    clearTimeout(timer)
  }
}

/**
 * Chooses the gateway key on which the usage plans meter a request: the caller's own, or the unlimited gateway key,
 * whose usage plan has no limits. The unlimited gateway key meters:
 *
 * - a request over a limit, so that it does not use up the caller's plan in API Gateway.
 * - a request around midnight UTC. API Gateway may count it in another day than the table did, and the caller would
 *   miss one request of that day's quota.
 * - a request before `meteredFrom` of the record, because a new API Gateway key takes minutes to work at the edge.
 *   `meteredFrom` is missing until the API Gateway key exists.
 * - a request of a key whose limits exceed those of its plan, because the plan was lowered since. API Gateway would
 *   refuse requests that the table has admitted.
 * - a request of a key whose plan this version does not know, because its usage plan may not exist: a deployment that
 *   added the plan was rolled back.
 */
export const chooseGatewayKey = ({ kind, record, now }: DecisionOfKey, unlimitedKey: string): string => {
  const { gatewayKey = unlimitedKey, meteredFrom = Number.POSITIVE_INFINITY } = record
  const isMeteredOnOwnKey =
    kind === 'admitted' && meteredFrom * 1_000 <= now && fitsUsagePlan(record) && !isAroundMidnight(now)
  return isMeteredOnOwnKey ? gatewayKey : unlimitedKey
}

/**
 * Time before and after midnight in which API Gateway may count a request in another day than the table: twice the time
 * that the authorizer may take, because clocks may also differ a little.
 */
const midnightMarginSeconds = 2 * authorizerTimeoutSeconds

const isAroundMidnight = (now: number): boolean => {
  const secondOfDay = (now / 1_000) % windowSeconds.day
  return secondOfDay < midnightMarginSeconds || secondOfDay >= windowSeconds.day - midnightMarginSeconds
}
