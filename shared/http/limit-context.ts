import type { MiddlewareObj } from '@middy/core'
import type { Scope } from '../api-keys/api-key-record.ts'
import { apiKeyBanned, type ErrorCode, rateLimitExceeded } from '../errors/catalogue.ts'
import { ServiceError } from '../errors/service-error.ts'
import type { Admission } from '../rate-limit/admission.ts'
import { type QuotaStatus, secondsUntil, windowSeconds } from '../rate-limit/windows.ts'
import type { AuthorizerContext, GatewayEvent, GatewayResult } from './gateway-event.ts'

type Decided = Exclude<Admission, { readonly kind: 'invalid' }>

/** The authorizer's decision about a request and the limits of its key, for the operation's function. */
export const authorizerContext = (admission: Decided): AuthorizerContext => {
  const { record, status, bindingWindow, now } = admission
  return {
    keyId: record.keyId,
    idempotencyScope: record.idempotencyScope,
    plan: record.plan,
    scope: record.scope,
    rateLimitLimit: String(bindingWindow.limit),
    rateLimitRemaining: String(bindingWindow.remaining),
    rateLimitReset: String(bindingWindow.resetAt),
    rateLimitPolicy: policyField(status),
    rateLimitWindows: windowsField(status, now),
    retryAfter: String(secondsUntil(bindingWindow.resetAt, now)),
    ...limitError(admission),
  }
}

/** Responds 429 to a request that the authorizer found over a limit, banned or throttled, before anything else reads it. */
export const refuseOverLimit = (): MiddlewareObj<GatewayEvent, GatewayResult> => ({
  before: ({ event }) => {
    const { errorCode, errorMessage, retryAfter } = event.requestContext.authorizer
    if (errorCode === '') return
    const code = errorCode === ('api_key_banned' satisfies ErrorCode) ? errorCode : 'rate_limit_exceeded'
    throw new ServiceError(code, { message: errorMessage, headers: { 'Retry-After': retryAfter } })
  },
})

/** Responds 403 to a request that changes something with a key that may only read. */
export const refuseOutOfScope = (method: string): MiddlewareObj<GatewayEvent, GatewayResult> => ({
  before: ({ event }) => {
    if (method !== 'GET' && event.requestContext.authorizer.scope === ('read' satisfies Scope)) {
      throw new ServiceError('insufficient_scope')
    }
  },
})

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
