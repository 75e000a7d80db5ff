import { api_key_banned, service_unavailable } from '../../shared/contract/generated/errors.ts'
import { type AuthorizerContext, noError } from '../../shared/http/authorizer-context.ts'
import type { DecisionOfKey } from '../../shared/rate-limit/rate-limiter.ts'
import { type LimitStatus, type WindowStatus, windowSeconds } from '../../shared/rate-limit/windows.ts'
import { unavailableRetryAfter } from '../../shared/service-error.ts'

/** Creates the context for a decision: the key, its limits, and the error if the request is refused. */
export const createAuthorizerContext = (decision: DecisionOfKey): AuthorizerContext => {
  const { record, status, bindingWindow, nowSeconds } = decision
  return {
    keyId: record.keyId,
    idempotencyScope: record.idempotencyScope,
    // The plan is undefined if this version of the service does not know it: another version has issued the key.
    plan: record.plan ?? 'unknown',
    scope: record.scope,
    rateLimitLimit: String(bindingWindow.limit),
    rateLimitRemaining: String(bindingWindow.remaining),
    rateLimitReset: String(bindingWindow.resetAt),
    rateLimitPolicy: formatPolicy(status),
    rateLimitWindows: formatWindows(status, nowSeconds),
    ...createErrorValues(decision),
  }
}

/** Creates the values that tell the function of the operation whether to refuse the request, and with which error. */
const createErrorValues = ({
  kind,
  bindingWindow: { limit, window, resetAt },
  nowSeconds,
}: DecisionOfKey): Pick<AuthorizerContext, 'errorCode' | 'errorMessage' | 'retryAfter'> => {
  const retryAfter = String(countWaitSeconds(resetAt, nowSeconds))
  switch (kind) {
    case 'admitted':
      return { errorCode: noError, errorMessage: noError, retryAfter }
    case 'banned':
      return { errorCode: 'api_key_banned', errorMessage: api_key_banned.message, retryAfter }
    case 'uncounted':
      return {
        errorCode: 'service_unavailable',
        errorMessage: service_unavailable.message,
        retryAfter: unavailableRetryAfter,
      }
    case 'exhausted':
      return {
        errorCode: 'rate_limit_exceeded',
        errorMessage:
          `The limit of ${limit} requests per ${window} is used up. ` +
          'Wait for the time that Retry-After gives, and back off exponentially.',
        retryAfter,
      }
  }
}

/**
 * Value of the header `RateLimit-Policy` (draft-ietf-httpapi-ratelimit-headers). `q` is the limit of a window, and `w`
 * the length of the window in seconds.
 *
 * @example '"minute";q=60;w=60, "day";q=1000;w=86400'
 */
const formatPolicy = ({ minute, day }: LimitStatus): string =>
  `"minute";q=${minute.limit};w=${windowSeconds.minute}, "day";q=${day.limit};w=${windowSeconds.day}`

/**
 * Value of the header `RateLimit` (draft-ietf-httpapi-ratelimit-headers). `r` is the number of requests that remain in
 * a window. `t` is the number of seconds until more are available, so a caller may wait for it as for `Retry-After`.
 *
 * @example '"minute";r=41;t=44, "day";r=412;t=52184'
 */
const formatWindows = ({ minute, day }: LimitStatus, nowSeconds: number): string =>
  `${formatWindow(minute, nowSeconds)}, ${formatWindow(day, nowSeconds)}`

const formatWindow = ({ window, remaining, resetAt }: WindowStatus, nowSeconds: number): string =>
  `"${window}";r=${remaining};t=${countWaitSeconds(resetAt, nowSeconds)}`

/** Seconds added to every wait, so that an instance whose clock is behind does not refuse a caller who waited. */
const clockMarginSeconds = 1

/** Counts the whole seconds to wait, so that `untilSeconds` has then passed on the clock of every instance. */
const countWaitSeconds = (untilSeconds: number, nowSeconds: number): number =>
  Math.ceil(untilSeconds - nowSeconds) + clockMarginSeconds
