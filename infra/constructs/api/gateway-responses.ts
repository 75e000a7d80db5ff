import { ResponseType, type RestApi } from 'aws-cdk-lib/aws-apigateway'
import type { IConstruct } from 'constructs'
import { catalogue, type ErrorCode } from '../../../shared/contract/generated/errors.ts'
import { crossOriginHeaders, noAllowanceHeaders } from '../../../shared/http/response-headers.ts'

interface Entry {
  readonly code: ErrorCode
  /** In addition to those of every entry. */
  readonly headers?: Readonly<Record<string, string>>
}

const badRequest: Entry = { code: 'bad_request' }
const fault: Entry = { code: 'internal_error' }
const unavailable: Entry = { code: 'service_unavailable', headers: { 'Retry-After': '1' } }
const unauthorized: Entry = { code: 'unauthorized', headers: { 'WWW-Authenticate': 'Bearer' } }

/**
 * The responses of API Gateway itself, for every type of the AWS document "Gateway response types for API Gateway". All
 * of them are static: AWS documents no way to put values of the authorizer into their headers.
 */
const gatewayResponses: Readonly<Record<string, Entry>> = {
  // The authorizer allows every request of a valid key and throws for all others.
  ACCESS_DENIED: fault,
  API_CONFIGURATION_ERROR: fault,
  // The authorizer could not count the request, mostly because DynamoDB is unavailable.
  AUTHORIZER_CONFIGURATION_ERROR: unavailable,
  AUTHORIZER_FAILURE: unavailable,
  BAD_REQUEST_BODY: badRequest,
  BAD_REQUEST_PARAMETERS: badRequest,
  DEFAULT_4XX: badRequest,
  DEFAULT_5XX: fault,
  EXPIRED_TOKEN: unauthorized,
  // Also the response to a request whose function is throttled.
  INTEGRATION_FAILURE: unavailable,
  INTEGRATION_TIMEOUT: { code: 'gateway_timeout' },
  // The key is valid, but the API Gateway key on which its requests are metered was deleted or is in no usage plan, or
  // the environment is new and the edge does not know the reserved one yet.
  INVALID_API_KEY: unavailable,
  INVALID_SIGNATURE: unauthorized,
  // Despite its name: the request has no route.
  MISSING_AUTHENTICATION_TOKEN: { code: 'route_not_found' },
  // A usage plan does not know when the key's own limit is reset, so these two are the earliest time to retry.
  QUOTA_EXCEEDED: { code: 'rate_limit_exceeded', headers: { 'Retry-After': '60' } },
  THROTTLED: { code: 'rate_limit_exceeded', headers: { 'Retry-After': '1' } },
  REQUEST_TOO_LARGE: { code: 'request_too_large' },
  RESOURCE_NOT_FOUND: { code: 'route_not_found' },
  UNAUTHORIZED: unauthorized,
  UNSUPPORTED_MEDIA_TYPE: { code: 'unsupported_media_type' },
  WAF_FILTERED: { code: 'request_blocked' },
}

/**
 * Puts the error body and the headers of this API on every response of API Gateway itself. A customised type takes
 * nothing from DEFAULT_4XX or DEFAULT_5XX, so each has all its headers.
 */
export const addGatewayResponses = (restApi: RestApi): void =>
  createInTurn(
    Object.entries(gatewayResponses).map(([type, { code, headers }]) => {
      const { status, message } = catalogue[code]
      return restApi.addGatewayResponse(type, {
        type: ResponseType.of(type),
        statusCode: String(status),
        responseHeaders: literals({ ...crossOriginHeaders, ...noAllowanceHeaders, ...headers }),
        templates: { 'application/json': JSON.stringify({ code, message, status }) },
      })
    }),
  )

/**
 * Lets each wait for the one before it: API Gateway takes 10 management calls a second, and one UpdateUsagePlan in 20 s
 * ("Amazon API Gateway quotas"), and CloudFormation would create all of them at once.
 */
export const createInTurn = (constructs: readonly IConstruct[]): void => {
  for (const [index, construct] of constructs.entries())
    construct.node.addDependency(...constructs.slice(0, index).slice(-1))
}

/** API Gateway takes a fixed header value in single quotes. */
export const literals = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, `'${value}'`]))
