import { ResponseType, type RestApi } from 'aws-cdk-lib/aws-apigateway'
import type { IConstruct } from 'constructs'
import { catalogue, type ErrorCode } from '../../../shared/contract/generated/errors.ts'
import { crossOriginHeaders, zeroLimitHeaders } from '../../../shared/http/response/response-headers.ts'
import { unavailableRetryAfter } from '../../../shared/service-error.ts'

interface ErrorResponse {
  readonly code: ErrorCode
  /** Headers in addition to those that every gateway response has. */
  readonly headers?: Readonly<Record<string, string>>
}

const internalError: ErrorResponse = { code: 'internal_error' }
const unavailable: ErrorResponse = { code: 'service_unavailable', headers: { 'Retry-After': unavailableRetryAfter } }
const unknownRoute: ErrorResponse = { code: 'route_not_found' }

/**
 * Responses that API Gateway itself sends, by their type in the AWS document "Gateway response types for API Gateway".
 * All are static: AWS documents no way to put values of the authorizer into their headers.
 *
 * The other types cannot happen: BAD_REQUEST_BODY and BAD_REQUEST_PARAMETERS need a request validator,
 * RESOURCE_NOT_FOUND and EXPIRED_TOKEN a request that is signed for IAM.
 */
const gatewayResponses: Readonly<Record<string, ErrorResponse>> = {
  // The authorizer denies access to a request without a valid API key, and to no other.
  ACCESS_DENIED: { code: 'unauthorized', headers: { 'WWW-Authenticate': 'Bearer' } },
  // The alias of a function may not be invoked, or the function returned a malformed result.
  API_CONFIGURATION_ERROR: internalError,
  // The alias of the authorizer may not be invoked, or the authorizer was throttled or returned a malformed result.
  AUTHORIZER_CONFIGURATION_ERROR: unavailable,
  // The authorizer could not decide, because DynamoDB was unavailable, or it crashed or exceeded its timeout.
  AUTHORIZER_FAILURE: unavailable,
  // API Gateway does not accept the request as HTTP, for a reason that has no type of its own.
  DEFAULT_4XX: { code: 'bad_request' },
  // API Gateway itself failed.
  DEFAULT_5XX: internalError,
  // The function crashed, exceeded its timeout, returned a malformed or too large result, or was throttled (access logs
  // in DataBiosphere/azul#6624 and #7502). One response must fit all of these, so it does not say when to retry.
  INTEGRATION_FAILURE: internalError,
  // Lambda itself took longer than API Gateway waits, 29 seconds. The timeout of each function is shorter.
  INTEGRATION_TIMEOUT: { code: 'gateway_timeout' },
  // The key of the caller is valid. The API Gateway key on which its requests are metered was deleted, or is in no
  // usage plan, or is the unlimited gateway key of a new environment, which API Gateway does not accept yet.
  INVALID_API_KEY: unavailable,
  // The request has no route, because `ANY` does not include its method, such as TRACE. API Gateway then takes the
  // header `Authorization` for a signature of AWS (amazon-archives/aws-cognito-angular-quickstart#50).
  INVALID_SIGNATURE: unknownRoute,
  // The request has no route for the same reason, and no header `Authorization`.
  MISSING_AUTHENTICATION_TOKEN: unknownRoute,
  // The quota of a usage plan is used up. API Gateway does not know when the table resets the limits of the key, so
  // `Retry-After` is the earliest time to retry.
  QUOTA_EXCEEDED: { code: 'rate_limit_exceeded', headers: { 'Retry-After': '60' } },
  // The throttle of a usage plan, of a method or of the account is used up.
  THROTTLED: { code: 'rate_limit_exceeded', headers: { 'Retry-After': '1' } },
  // The body is larger than Lambda takes, 6 MB, or than API Gateway takes, 10 MB.
  REQUEST_TOO_LARGE: { code: 'request_too_large' },
  // API Gateway itself refuses a request without an API key. It does not do so without an identity source, but if it
  // ever does, DEFAULT_4XX would answer 400.
  UNAUTHORIZED: { code: 'unauthorized', headers: { 'WWW-Authenticate': 'Bearer' } },
  // A preflight request has a `Content-Type` other than JSON.
  UNSUPPORTED_MEDIA_TYPE: { code: 'unsupported_media_type' },
  // The web firewall blocks the address.
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
