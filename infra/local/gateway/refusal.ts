import type { AuthorizerValues } from './request.ts'

interface RefusalKind {
  readonly status: number
  /** `$context.error.message`; `null` renders as such. */
  readonly message: string | null
  /** The header `x-amzn-ErrorType`. */
  readonly errorType: string
}

/**
 * Why API Gateway answers by itself, with what it answers where the API customises nothing. The
 * statuses are of "Gateway response types for API Gateway"; messages and error types are as recorded
 * on AWS.
 */
export const refusalKinds = {
  ACCESS_DENIED: {
    status: 403,
    message: 'User is not authorized to access this resource',
    errorType: 'AccessDeniedException',
  },
  AUTHORIZER_CONFIGURATION_ERROR: { status: 500, message: null, errorType: 'AuthorizerConfigurationException' },
  BAD_REQUEST_PARAMETERS: { status: 400, message: 'Bad Request', errorType: 'BadRequestException' },
  /** The type under which a malformed result or a function error is answered: it has none of its own. */
  DEFAULT_5XX: { status: 502, message: 'Internal server error', errorType: 'InternalServerErrorException' },
  INTEGRATION_TIMEOUT: {
    status: 504,
    message: 'Endpoint request timed out',
    errorType: 'InternalServerErrorException',
  },
  INVALID_API_KEY: { status: 403, message: 'Forbidden', errorType: 'ForbiddenException' },
  MISSING_AUTHENTICATION_TOKEN: {
    status: 403,
    message: 'Missing Authentication Token',
    errorType: 'MissingAuthenticationTokenException',
  },
  QUOTA_EXCEEDED: { status: 429, message: 'Limit Exceeded', errorType: 'LimitExceededException' },
  REQUEST_TOO_LARGE: { status: 413, message: 'Request Too Long', errorType: 'RequestTooLargeException' },
  THROTTLED: { status: 429, message: 'Too Many Requests', errorType: 'TooManyRequestsException' },
  UNAUTHORIZED: { status: 401, message: 'Unauthorized', errorType: 'UnauthorizedException' },
} as const satisfies Record<string, RefusalKind>

export type GatewayResponseType = keyof typeof refusalKinds

/** A phase's outcome where the request goes no further. */
export interface Refused {
  readonly refused: GatewayResponseType
  /** What the authorizer handed on, where it was asked. */
  readonly authorizerValues: AuthorizerValues
}

export const refuse = (refused: GatewayResponseType, authorizerValues: AuthorizerValues = {}): Refused => ({
  refused,
  authorizerValues,
})

export const isRefused = (outcome: object): outcome is Refused => 'refused' in outcome
