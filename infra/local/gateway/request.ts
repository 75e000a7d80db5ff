/**
 * Requests and responses of the local gateway, and the events that functions receive.
 *
 * Unlike the event of API Gateway, the local event has the names of headers in lower case, all headers of the request,
 * no `X-Amzn-Trace-Id` and no `X-Forwarded-Port`. Its `requestContext` has only the members that identify the request
 * and its caller. Lambda refuses an event of more than 6 MB; the local gateway accepts a body of up to 10 MB.
 */
import { catalogue, type ErrorCode } from '../../../shared/contract/generated/errors.ts'
import { crossOriginHeaders, zeroLimitHeaders } from '../../../shared/http/response/response-headers.ts'
import type { ApiMethod, RestApi } from '../template/rest-api.ts'
import { localAccount } from '../template/stacks.ts'

/** Values by name. A name may have several values, which stay in their order. */
type MultiValues = Readonly<Record<string, readonly string[] | undefined>>

/** A request as the caller sent it. */
export interface ReceivedRequest {
  /** Ids that the response has as `x-amzn-RequestId` and `x-amz-apigw-id`. */
  readonly requestId: string
  readonly extendedRequestId: string
  readonly httpMethod: string
  /** The path of the request line, with the stage and without the query. */
  readonly rawPath: string
  readonly rawQuery: string
  /** Header values by lower-case name. */
  readonly headers: MultiValues
  readonly sourceIp: string
  /**
   * Reads the body as UTF-8 text: API Gateway passes every body as text to an API without binary media types. Returns
   * undefined for a body of more than 10 MB, which API Gateway refuses.
   */
  readonly readBody: () => Promise<string | undefined>
}

/** A request for which the REST API has a method. */
export interface RoutedRequest extends ReceivedRequest {
  readonly method: ApiMethod
  /** The path without the stage, percent-encoded as sent, including slashes at its end. */
  readonly path: string
  /** Values from the path, percent-encoded as sent. */
  readonly pathParameters: Readonly<Record<string, string>>
}

/** A request that its authorizer allows, or whose method has no authorizer. */
export interface AuthorizedRequest extends RoutedRequest {
  /** Authorizer context passed to the function; undefined if the method has no authorizer. */
  readonly authorizer: Readonly<Record<string, string>> | undefined
}

/** A response to the caller. */
export interface HttpResponse {
  readonly status: number
  /** Names and values. A name may occur several times. */
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body: string | Uint8Array
}

/**
 * Creates a response with an error of the catalogue, for a problem without a gateway response in the template.
 *
 * @param advice further sentence of the message
 */
export const createErrorResponse = (code: ErrorCode, advice = ''): HttpResponse => {
  const { status, message } = catalogue[code]
  // No key has been checked, so the limits that the response shows are zero.
  const headers = { 'Content-Type': 'application/json', ...crossOriginHeaders, ...zeroLimitHeaders }
  const error = { code, message: `${message} ${advice}`.trim(), status }
  return { status, headers: Object.entries(headers), body: JSON.stringify(error) }
}

/** Types of the gateway responses that the phases of `gateway.ts` send. */
export type GatewayResponseType =
  | 'ACCESS_DENIED'
  | 'AUTHORIZER_CONFIGURATION_ERROR'
  | 'INTEGRATION_FAILURE'
  | 'INVALID_API_KEY'
  | 'MISSING_AUTHENTICATION_TOKEN'
  | 'REQUEST_TOO_LARGE'

/**
 * Creates the event of a Lambda proxy integration ("Input format of a Lambda function for proxy integration"). From a
 * request that is not authorized yet it is the event of the authorizer. An empty query, empty path parameters and an
 * empty body are null.
 */
export const createProxyEvent = (api: RestApi, request: RoutedRequest | AuthorizedRequest, body: string) => {
  const { method, path, pathParameters, httpMethod } = request
  const query = parseQuery(request.rawQuery)
  const headers = {
    ...request.headers,
    // These replace headers of the same names that the caller sent.
    'x-forwarded-for': [request.sourceIp],
    'x-forwarded-proto': ['http'],
  }
  return {
    resource: method.path,
    path,
    httpMethod,
    headers: selectLastValues(headers),
    multiValueHeaders: headers,
    queryStringParameters: replaceEmptyByNull(selectLastValues(query)),
    multiValueQueryStringParameters: replaceEmptyByNull(query),
    pathParameters: replaceEmptyByNull(pathParameters),
    stageVariables: null,
    requestContext: createRequestContext(api, request),
    body: body === '' ? null : body,
    isBase64Encoded: false,
  }
}

const createRequestContext = (api: RestApi, request: RoutedRequest | AuthorizedRequest) => ({
  accountId: localAccount,
  apiId: api.id,
  domainName: request.headers['host']?.at(-1),
  httpMethod: request.httpMethod,
  path: request.rawPath,
  requestId: request.requestId,
  extendedRequestId: request.extendedRequestId,
  resourcePath: request.method.path,
  stage: api.stageName,
  identity: {
    sourceIp: request.sourceIp,
    userAgent: request.headers['user-agent']?.at(-1) ?? null,
  },
  ...('authorizer' in request && request.authorizer !== undefined && { authorizer: request.authorizer }),
})

/** Decodes a query as API Gateway does for a Lambda proxy integration. `+` is a space. */
const parseQuery = (rawQuery: string): MultiValues => {
  const parameters = [...new URLSearchParams(rawQuery)]
  const entriesByName = Map.groupBy(parameters, ([name]) => name)
  return Object.fromEntries([...entriesByName].map(([name, entries]) => [name, entries.map(([, value]) => value)]))
}

const selectLastValues = (values: MultiValues) =>
  Object.fromEntries(Object.entries(values).map(([name, all]) => [name, all?.at(-1)]))

const replaceEmptyByNull = <Values extends object>(values: Values): Values | null =>
  Object.keys(values).length > 0 ? values : null
