import { apiKeyBanned, type ErrorCode, rateLimitExceeded } from '../errors/catalogue.ts'
import type { Admission } from '../rate-limit/admission.ts'
import { type Standing, secondsUntil } from '../rate-limit/standing.ts'
import { windowSeconds } from '../rate-limit/windows.ts'
import type { AuthorizerContext } from './authorizer-context.ts'

type Decided = Exclude<Admission, { readonly kind: 'invalid' }>

/** The figures of a decided request, as the authorizer hands them on. */
export const authorizerContext = (admission: Decided): AuthorizerContext => {
  const { record, standing, shown, now } = admission
  const refusal = refusalOf(admission)
  return {
    keyId: record.keyId,
    plan: record.plan,
    rateLimitLimit: String(shown.limit),
    rateLimitRemaining: String(shown.remaining),
    rateLimitReset: String(shown.resetAt),
    rateLimitPolicy: policyField(standing),
    rateLimitWindows: windowsField(standing, now),
    retryAfter: String(secondsUntil(shown.resetAt, now)),
    dayLimit: String(standing.day.limit),
    dayReset: String(standing.day.resetAt),
    dayRetryAfter: String(secondsUntil(standing.day.resetAt, now)),
    errorCode: refusal?.code ?? '',
    errorMessage: refusal?.message ?? '',
  }
}

const refusalOf = (admission: Decided): { code: ErrorCode; message: string } | undefined => {
  switch (admission.kind) {
    case 'admitted':
      return undefined
    case 'banned':
      return { code: 'api_key_banned', message: apiKeyBanned.message }
    case 'throttled':
      return { code: 'rate_limit_exceeded', message: rateLimitExceeded.message }
    case 'exhausted': {
      const { limit, window } = admission.shown
      return {
        code: 'rate_limit_exceeded',
        message: `The limit of ${limit} requests per ${window} is used up. Wait for the time that Retry-After gives, and back off exponentially.`,
      }
    }
  }
}

/** The `RateLimit-Policy` field (draft-ietf-httpapi-ratelimit-headers). */
const policyField = ({ minute, day }: Standing): string =>
  [minute, day].map(({ window, limit }) => `"${window}";q=${limit};w=${windowSeconds[window]}`).join(', ')

/** The `RateLimit` field (draft-ietf-httpapi-ratelimit-headers). */
const windowsField = ({ minute, day }: Standing, now: number): string =>
  [minute, day]
    .map(({ window, remaining, resetAt }) => `"${window}";r=${remaining};t=${secondsUntil(resetAt, now)}`)
    .join(', ')
