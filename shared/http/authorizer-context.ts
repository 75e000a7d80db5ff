import { type IdempotencyScope, type KeyId, type Scope, scopes } from '../api-keys/api-key-record.ts'
import { api_key_banned, rate_limit_exceeded } from '../contract/generated/errors.ts'
import type { Admission } from '../rate-limit/admission.ts'
import { countSecondsUntil, type QuotaStatus, windowSeconds } from '../rate-limit/windows.ts'

/**
 * The authorizer's output for the operation, as `event.requestContext.authorizer`, and for the access log. API Gateway
 * passes every value as a string. None is empty: no AWS document says that API Gateway passes on an empty one. No
 * gateway response reads it: AWS documents no way for that.
 */
export interface AuthorizerContext {
  readonly keyId: KeyId
  readonly idempotencyScope: IdempotencyScope
  /** For the access log alone. */
  readonly plan: string
  readonly scope: Scope
  readonly rateLimitLimit: string
  readonly rateLimitRemaining: string
  readonly rateLimitReset: string
  readonly rateLimitPolicy: string
  readonly rateLimitWindows: string
  /** Whole seconds; it has a meaning only where the request is refused. */
  readonly retryAfter: string
  /** Why the authorizer refused the request. */
  readonly errorCode: typeof noError | keyof typeof limitErrors
  readonly errorMessage: string
}

/** What stands for no error. */
export const noError = 'none'

const limitErrors = { rate_limit_exceeded, api_key_banned }

type Decided = Exclude<Admission, { readonly kind: 'invalid' }>

/** The authorizer's decision about a request and the limits of its key, for the operation's function. */
export const createAuthorizerContext = (admission: Decided): AuthorizerContext => {
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
    retryAfter: String(countSecondsUntil(bindingWindow.resetAt, now) + clockMarginSeconds),
    ...limitError(admission),
  }
}

/** For the clocks of other instances, which may be behind this one's: they must not refuse a caller who has waited. */
const clockMarginSeconds = 1

const limitError = ({ kind, bindingWindow }: Decided): Pick<AuthorizerContext, 'errorCode' | 'errorMessage'> => {
  if (kind === 'admitted') return { errorCode: noError, errorMessage: noError }
  if (kind === 'banned') return { errorCode: 'api_key_banned', errorMessage: api_key_banned.message }
  if (kind === 'throttled') return { errorCode: 'rate_limit_exceeded', errorMessage: rate_limit_exceeded.message }
  return {
    errorCode: 'rate_limit_exceeded',
    errorMessage: `The limit of ${bindingWindow.limit} requests per ${bindingWindow.window} is used up. Wait for the time that Retry-After gives, and back off exponentially.`,
  }
}

/** The `RateLimit-Policy` field (draft-ietf-httpapi-ratelimit-headers). */
const policyField = ({ minute, day }: QuotaStatus): string =>
  [minute, day].map(({ window, limit }) => `"${window}";q=${limit};w=${windowSeconds[window]}`).join(', ')

/** The `RateLimit` field (draft-ietf-httpapi-ratelimit-headers). */
const windowsField = ({ minute, day }: QuotaStatus, now: number): string =>
  [minute, day]
    .map(({ window, remaining, resetAt }) => `"${window}";r=${remaining};t=${countSecondsUntil(resetAt, now)}`)
    .join(', ')

/** The first value of a context that a function cannot read; `undefined` where it can read all of them. */
export const findInvalidValue = (context: unknown): string | undefined => {
  const values: Readonly<Record<string, unknown>> = { ...Object(context) }
  return Object.entries(patterns).find(([name, pattern]) => {
    const value = values[name]
    return typeof value !== 'string' || !pattern.test(value)
  })?.[0]
}

const text = /^[ -~]+$/
const count = /^\d+$/
const oneOf = (...words: readonly string[]): RegExp => new RegExp(`^(${words.join('|')})$`)

/** Of what the functions read. The plan is for the access log alone. */
const patterns: Readonly<Record<Exclude<keyof AuthorizerContext, 'plan'>, RegExp>> = {
  keyId: text,
  idempotencyScope: text,
  scope: oneOf(...scopes),
  rateLimitLimit: count,
  rateLimitRemaining: count,
  rateLimitReset: count,
  rateLimitPolicy: text,
  rateLimitWindows: text,
  retryAfter: count,
  errorCode: oneOf(noError, ...Object.keys(limitErrors)),
  errorMessage: text,
}
