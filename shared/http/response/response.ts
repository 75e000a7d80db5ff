import type { MiddlewareObj } from '@middy/core'
import { isUnavailable } from '../../dynamodb/unavailable.ts'
import { stringifyExactJson } from '../../exact-json.ts'
import { createErrorBody, createUnavailableError, ServiceError } from '../../service-error.ts'
import type { GatewayEvent, GatewayResult } from '../gateway-event.ts'
import { logFailure } from './log-failure.ts'
import type { CreateHeaders, Headers } from './response-headers.ts'

/** Response of an operation that succeeds. An operation that fails throws a ServiceError. */
export interface OperationResponse<Status extends number = number, Body = unknown> {
  readonly status: Status
  readonly body: Body
  readonly headers: Headers
}

/** Response of status 200. */
export const ok = <Body>(body: Body, headers: Headers = {}): OperationResponse<200, Body> => ({
  status: 200,
  body,
  headers,
})

/** Response of status 201. */
export const created = <Body>(body: Body, headers: Headers = {}): OperationResponse<201, Body> => ({
  status: 201,
  body,
  headers,
})

/** Formats a response for API Gateway, which allows no other field ("Lambda proxy integration output format"). */
export const formatGatewayResult = ({ status, body, headers }: OperationResponse): GatewayResult => {
  return {
    statusCode: status,
    headers: { 'Content-Type': 'application/json', ...headers },
    body: stringifyExactJson(body),
  }
}

/**
 * Middleware that turns errors into responses, and adds the common headers to every response. The cause of an error of
 * the service (status 500 or more) is logged, and the caller sees no detail of it.
 *
 * @param operation name of the operation, for the log
 */
export const respond = (
  operation: string,
  createHeaders: CreateHeaders,
): MiddlewareObj<GatewayEvent, GatewayResult> => ({
  after: (request) => {
    if (request.response) request.response = addHeaders(request.response, createHeaders(request.event))
  },

  onError: (request) => {
    const { event } = request
    const error = toServiceError(request.error)
    if (error.status >= 500 && error.cause !== undefined) {
      const { requestContext } = event
      // The authorizer's context may be missing: that is one of the errors.
      const keyId = requestContext.authorizer?.keyId
      logFailure({ operation, requestContext, keyId }, error.cause)
    }

    const { status, headers } = error
    const result = formatGatewayResult({ status, body: createErrorBody(error), headers })
    request.response = addHeaders(result, createHeaders(event))
  },
})

/** Adds headers to a result. A header of both, such as `Link`, has both values as a list (RFC 9110, section 5.3). */
const addHeaders = (result: GatewayResult, addedHeaders: Headers): GatewayResult => {
  const headers = { ...result.headers }
  for (const [name, addedValue] of Object.entries(addedHeaders)) {
    const value = headers[name]
    headers[name] = value === undefined ? addedValue : `${value}, ${addedValue}`
  }
  return { ...result, headers }
}

const toServiceError = (error: unknown): ServiceError => {
  if (error instanceof ServiceError) return error
  if (isUnavailable(error)) return createUnavailableError(error)
  if (isRefusedByBodyParser(error)) {
    // The parser repeats V8's message about malformed JSON, and has none about a key such as `__proto__`.
    if (error.cause.message !== undefined) return new ServiceError('malformed_json')
    return new ServiceError('invalid_body', { message: 'The body has a key that is not allowed.' })
  }
  return new ServiceError('internal_error', { cause: error ?? new Error('The operation failed without an error.') })
}

/** An error of @middy/http-json-body-parser. */
interface BodyParserError {
  readonly cause: { readonly package: string; readonly message?: unknown }
}

const isRefusedByBodyParser = (error: unknown): error is BodyParserError => {
  // Anything can be thrown. Object() turns undefined and null into an object without these properties.
  const { statusCode, cause } = Object(error)
  return statusCode === 422 && cause?.package === '@middy/http-json-body-parser'
}
