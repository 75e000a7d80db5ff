import type { APIGatewayProxyResult, APIGatewayProxyWithLambdaAuthorizerEvent } from 'aws-lambda'

/** The event of an operation. API Gateway sends it after the authorizer has allowed the request. */
export type GatewayEvent = APIGatewayProxyWithLambdaAuthorizerEvent<AuthorizerContext>

export type GatewayResult = APIGatewayProxyResult

/**
 * The authorizer's output for the operation, as `event.requestContext.authorizer`, and for the access log. API Gateway
 * passes every value as a string. No gateway response reads it: AWS documents no way for that.
 */
export interface AuthorizerContext {
  readonly keyId: string
  readonly idempotencyScope: string
  readonly plan: string
  readonly scope: string
  readonly rateLimitLimit: string
  readonly rateLimitRemaining: string
  readonly rateLimitReset: string
  readonly rateLimitPolicy: string
  readonly rateLimitWindows: string
  /** Whole seconds, at least 1; it has a meaning only where the request is refused. */
  readonly retryAfter: string
  /** Empty where the request is admitted. */
  readonly errorCode: '' | 'rate_limit_exceeded' | 'api_key_banned'
  readonly errorMessage: string
}
