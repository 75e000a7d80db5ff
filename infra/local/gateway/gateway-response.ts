import type { RestApi } from '../template/rest-api.ts'
import type { HttpResponse } from './request.ts'

interface StandardResponse {
  readonly status: number
  /** `null` where API Gateway gives none. */
  readonly message: string | null
  /** The header `x-amzn-ErrorType`. */
  readonly errorType: string
}

/**
 * The responses that API Gateway sends by itself, as they are where the API customizes nothing. The
 * statuses are those of "Gateway response types for API Gateway"; messages and error types are as
 * recorded on AWS.
 */
export const standardResponses = {
  ACCESS_DENIED: {
    status: 403,
    message: 'User is not authorized to access this resource',
    errorType: 'AccessDeniedException',
  },
  AUTHORIZER_CONFIGURATION_ERROR: { status: 500, message: null, errorType: 'AuthorizerConfigurationException' },
  BAD_REQUEST_PARAMETERS: { status: 400, message: 'Bad Request', errorType: 'BadRequestException' },
  /** For a malformed result and for a function error, for which API Gateway has no other type. */
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
} as const satisfies Record<string, StandardResponse>

/** The outcome of a phase after which the request goes no further. */
export type GatewayResponseType = keyof typeof standardResponses

/**
 * The response of the API itself, "Gateway responses for REST APIs in API Gateway": the one that the
 * API has for this type, else its DEFAULT_4XX or DEFAULT_5XX, else the standard one.
 */
export const gatewayResponse = ({ gatewayResponses }: RestApi, type: GatewayResponseType): HttpResponse => {
  const { status, message, errorType } = standardResponses[type]
  const customized = gatewayResponses.get(type) ?? gatewayResponses.get(status < 500 ? 'DEFAULT_4XX' : 'DEFAULT_5XX')
  return {
    status: customized?.status ?? status,
    headers: [
      ['Content-Type', 'application/json'],
      ['x-amzn-ErrorType', errorType],
      ...Object.entries(customized?.headers ?? {}),
    ],
    body: customized?.body ?? JSON.stringify({ message }),
  }
}
