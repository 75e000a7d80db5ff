import { apiKeyBanned, type ErrorCode, rateLimitExceeded } from '../errors/catalogue.ts'
import type { Admission } from '../rate-limit/admission.ts'
import { type QuotaStatus, secondsUntil } from '../rate-limit/quota-status.ts'
import { windowSeconds } from '../rate-limit/windows.ts'
import type { AuthorizerContext } from './authorizer-context.ts'

type Decided = Exclude<Admission, { readonly kind: 'invalid' }>

/** The figures of a decided request, as the authorizer hands them on. */
export const authorizerContext = (admission: Decided): AuthorizerContext => {
  const { record, status, bindingWindow, now } = admission
  const refusal = refusalOf(admission)
  return {
    keyId: record.keyId,
    plan: record.plan,
    rateLimitLimit: String(bindingWindow.limit),
    rateLimitRemaining: String(bindingWindow.remaining),
    rateLimitReset: String(bindingWindow.resetAt),
    rateLimitPolicy: policyField(status),
    rateLimitWindows: windowsField(status, now),
    retryAfter: String(secondsUntil(bindingWindow.resetAt, now)),
    dayLimit: String(status.day.limit),
    dayReset: String(status.day.resetAt),
    dayRetryAfter: String(secondsUntil(status.day.resetAt, now)),
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
      const { limit, window } = admission.bindingWindow
      return {
        code: 'rate_limit_exceeded',
        message: `The limit of ${limit} requests per ${window} is used up. Wait for the time that Retry-After gives, and back off exponentially.`,
      }
    }
  }
}

/** The `RateLimit-Policy` field (draft-ietf-httpapi-ratelimit-headers). */
const policyField = ({ minute, day }: QuotaStatus): string =>
  [minute, day].map(({ window, limit }) => `"${window}";q=${limit};w=${windowSeconds[window]}`).join(', ')

/** The `RateLimit` field (draft-ietf-httpapi-ratelimit-headers). */
const windowsField = ({ minute, day }: QuotaStatus, now: number): string =>
  [minute, day]
    .map(({ window, remaining, resetAt }) => `"${window}";r=${remaining};t=${secondsUntil(resetAt, now)}`)
    .join(', ')
