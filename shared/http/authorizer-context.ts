/**
 * What the authorizer hands on to the operation, as `event.requestContext.authorizer`, and to the access log. API
 * Gateway hands every value on as a string. No gateway response reads it: AWS documents no way for that.
 */
export interface AuthorizerContext {
  readonly keyId: string
  readonly idempotencyScope: string
  readonly plan: string
  readonly rateLimitLimit: string
  readonly rateLimitRemaining: string
  readonly rateLimitReset: string
  readonly rateLimitPolicy: string
  readonly rateLimitWindows: string
  /** Whole seconds, at least 1; meaningful where the request is refused. */
  readonly retryAfter: string
  /** Empty where the request is admitted. */
  readonly errorCode: '' | 'rate_limit_exceeded' | 'api_key_banned'
  readonly errorMessage: string
}
