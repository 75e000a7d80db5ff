import { ResponseType, type RestApi } from 'aws-cdk-lib/aws-apigateway'
import type { IConstruct } from 'constructs'
import { catalogue, type ErrorCode } from '../../../shared/contract/generated/errors.ts'
import { unavailableRetryAfter } from '../../../shared/errors/service-error.ts'
import { crossOriginHeaders, zeroLimitHeaders } from '../../../shared/http/response/response-headers.ts'

interface ErrorResponse {
  readonly code: ErrorCode
  /** Headers in addition to those that every gateway response has. */
  readonly headers?: Readonly<Record<string, string>>
}

const badRequest: ErrorResponse = { code: 'bad_request' }
const internalError: ErrorResponse = { code: 'internal_error' }
const unavailable: ErrorResponse = { code: 'service_unavailable', headers: { 'Retry-After': unavailableRetryAfter } }
const unauthorized: ErrorResponse = { code: 'unauthorized', headers: { 'WWW-Authenticate': 'Bearer' } }

/**
 * Responses that API Gateway itself sends, for every type of the AWS document "Gateway response types for API Gateway".
 * All are static: AWS documents no way to put values of the authorizer into their headers.
 */
const gatewayResponses: Readonly<Record<string, ErrorResponse>> = {
  // The authorizer denies access to a request without a valid API key, and to no other.
  ACCESS_DENIED: unauthorized,
  API_CONFIGURATION_ERROR: internalError,
  // The authorizer could not decide: DynamoDB was unavailable, or the authorizer crashed or was throttled.
  AUTHORIZER_CONFIGURATION_ERROR: unavailable,
  AUTHORIZER_FAILURE: unavailable,
  BAD_REQUEST_BODY: badRequest,
  BAD_REQUEST_PARAMETERS: badRequest,
  DEFAULT_4XX: badRequest,
  DEFAULT_5XX: internalError,
  EXPIRED_TOKEN: unauthorized,
  // The function crashed, exceeded its timeout, returned a malformed or too large result, or was throttled (access logs
  // in DataBiosphere/azul#6624 and #7502). One response must fit all of these, so it does not say when to retry.
  INTEGRATION_FAILURE: internalError,
  // The function took longer than API Gateway waits, 29 seconds. The timeout of each function is shorter.
  INTEGRATION_TIMEOUT: { code: 'gateway_timeout' },
  // The key of the caller is valid. The API Gateway key on which its requests are metered was deleted, or is in no
  // usage plan, or is the unlimited gateway key of a new environment, which the edge does not know yet.
  INVALID_API_KEY: unavailable,
  INVALID_SIGNATURE: unauthorized,
  // Despite the name of the type, the request has no route.
  MISSING_AUTHENTICATION_TOKEN: { code: 'route_not_found' },
  // A usage plan does not know when the limits of a key are reset. `Retry-After` is the earliest time to retry.
  QUOTA_EXCEEDED: { code: 'rate_limit_exceeded', headers: { 'Retry-After': '60' } },
  THROTTLED: { code: 'rate_limit_exceeded', headers: { 'Retry-After': '1' } },
  REQUEST_TOO_LARGE: { code: 'request_too_large' },
  RESOURCE_NOT_FOUND: { code: 'route_not_found' },
  UNAUTHORIZED: unauthorized,
  UNSUPPORTED_MEDIA_TYPE: { code: 'unsupported_media_type' },
  WAF_FILTERED: { code: 'request_blocked' },
}

/**
 * Gives every response of API Gateway itself the error body and the headers of this API. A customised type takes
 * nothing from DEFAULT_4XX or DEFAULT_5XX, so each type has all headers.
 */
export const addGatewayResponses = (restApi: RestApi): void => {
  const responses = Object.entries(gatewayResponses).map(([type, { code, headers }]) => {
    const { status, message } = catalogue[code]
    return restApi.addGatewayResponse(type, {
      type: ResponseType.of(type),
      statusCode: String(status),
      responseHeaders: quoteHeaderValues({ ...crossOriginHeaders, ...zeroLimitHeaders, ...headers }),
      templates: { 'application/json': JSON.stringify({ code, message, status }) },
    })
  })
  deployInSequence(responses)
}

/**
 * Makes CloudFormation deploy each construct after the one before it, rather than all at once. API Gateway takes 10
 * management calls a second, and one UpdateUsagePlan in 20 s ("Amazon API Gateway quotas").
 */
export const deployInSequence = (constructs: readonly IConstruct[]): void => {
  let previous: IConstruct | undefined
  for (const construct of constructs) {
    if (previous !== undefined) construct.node.addDependency(previous)
    previous = construct
  }
}

/** Puts each value into single quotes, which API Gateway requires around a fixed header value. */
export const quoteHeaderValues = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, `'${value}'`]))
