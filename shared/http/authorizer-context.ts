/**
 * What the authorizer hands on: to the operation as `event.requestContext.authorizer`, and to the
 * gateway responses as `context.authorizer.*`. It always sets every key, because nothing is
 * documented about how API Gateway renders one that is missing. API Gateway hands every value on
 * as a string.
 */
export interface AuthorizerContext {
  readonly keyId: string
  readonly plan: string
  readonly rateLimitLimit: string
  readonly rateLimitRemaining: string
  readonly rateLimitReset: string
  readonly rateLimitPolicy: string
  readonly rateLimitWindows: string
  /** Whole seconds, at least 1; meaningful where the request is refused. */
  readonly retryAfter: string
  /** The day's window, for the usage plan's daily quota. */
  readonly dayLimit: string
  readonly dayReset: string
  readonly dayRetryAfter: string
  /** A code of the error catalogue where the request is refused, else empty. */
  readonly errorCode: string
  readonly errorMessage: string
}
