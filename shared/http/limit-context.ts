import { apiKeyBanned, rateLimitExceeded } from '../errors/catalogue.ts'
import type { Admission } from '../rate-limit/admission.ts'
import { type QuotaStatus, secondsUntil } from '../rate-limit/quota-status.ts'
import { windowSeconds } from '../rate-limit/windows.ts'
import type { AuthorizerContext } from './authorizer-context.ts'

type Decided = Exclude<Admission, { readonly kind: 'invalid' }>

/** The limits of a decided request, as the authorizer hands them on. */
export const authorizerContext = (admission: Decided): AuthorizerContext => {
  const { record, status, bindingWindow, now } = admission
  return {
    keyId: record.keyId,
    idempotencyScope: record.idempotencyScope,
    plan: record.plan,
    rateLimitLimit: String(bindingWindow.limit),
    rateLimitRemaining: String(bindingWindow.remaining),
    rateLimitReset: String(bindingWindow.resetAt),
    rateLimitPolicy: policyField(status),
    rateLimitWindows: windowsField(status, now),
    retryAfter: String(secondsUntil(bindingWindow.resetAt, now)),
    ...limitError(admission),
  }
}

const limitError = ({ kind, bindingWindow }: Decided): Pick<AuthorizerContext, 'errorCode' | 'errorMessage'> => {
  switch (kind) {
    case 'admitted':
      return { errorCode: '', errorMessage: '' }
    case 'banned':
      return { errorCode: 'api_key_banned', errorMessage: apiKeyBanned.message }
    case 'throttled':
      return { errorCode: 'rate_limit_exceeded', errorMessage: rateLimitExceeded.message }
    case 'exhausted':
      return {
        errorCode: 'rate_limit_exceeded',
        errorMessage: `The limit of ${bindingWindow.limit} requests per ${bindingWindow.window} is used up. Wait for the time that Retry-After gives, and back off exponentially.`,
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
