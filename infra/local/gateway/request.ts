import { catalogue, type ErrorCode } from '../../../shared/contract/generated/errors.ts'
import { crossOriginHeaders, noAllowanceHeaders } from '../../../shared/http/response-headers.ts'
import type { ApiMethod, RestApi } from '../template/rest-api.ts'
import { localAccount } from '../template/stacks.ts'

/** Each name with all its values in their order. */
export type MultiValues = Readonly<Record<string, readonly string[] | undefined>>

/** A request as it came. */
export interface ReceivedRequest {
  readonly requestId: string
  readonly httpMethod: string
  /** As in the request line, with the stage, without the query. */
  readonly rawPath: string
  readonly rawQuery: string
  /** By their names in lower case. */
  readonly headers: MultiValues
  readonly sourceIp: string
  /** Without binary media types API Gateway passes every body on as UTF-8. */
  readonly body: string
}

/** A request for which the REST API has a method. */
export interface RoutedRequest extends ReceivedRequest {
  readonly method: ApiMethod
  /** Without the stage, percent-encoded as sent, with the slashes at its end. */
  readonly path: string
  /** Percent-encoded as sent. */
  readonly pathParameters: Readonly<Record<string, string>>
}

/** A request that its authorizer allows, or that needs none. */
export interface AuthorizedRequest extends RoutedRequest {
  /** What its function is told of the authorizer's decision; undefined without an authorizer. */
  readonly authorizer: Readonly<Record<string, string>> | undefined
}

/** What is sent to the caller. A header may be there twice. */
export interface HttpResponse {
  readonly status: number
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body: string
}

/** The catalogue's response for an error, where the template has none. */
export const errorResponse = (code: ErrorCode, advice = ''): HttpResponse => {
  const { status, message } = catalogue[code]
  return {
    status,
    headers: Object.entries({ 'Content-Type': 'application/json', ...crossOriginHeaders, ...noAllowanceHeaders }),
    body: JSON.stringify({ code, message: `${message} ${advice}`.trim(), status }),
  }
}

/** The outcome of a phase after which the request goes no further. */
export type GatewayResponseType =
  | 'ACCESS_DENIED'
  | 'AUTHORIZER_CONFIGURATION_ERROR'
  | 'DEFAULT_5XX'
  | 'INVALID_API_KEY'
  | 'MISSING_AUTHENTICATION_TOKEN'
  | 'UNAUTHORIZED'

/** The event of a Lambda proxy integration, "Input format of a Lambda function for proxy integration". What is empty is null. */
export const proxyEvent = (api: RestApi, request: RoutedRequest | AuthorizedRequest) => {
  const { method, path, pathParameters, httpMethod, rawPath, requestId, sourceIp, body } = request
  // In the place of the caller's own, which are in lower case too.
  const headers = { ...request.headers, 'x-forwarded-for': [sourceIp], 'x-forwarded-proto': ['http'] }
  const query = parseQuery(request.rawQuery)
  return {
    resource: method.path,
    path,
    httpMethod,
    headers: lastValues(headers),
    multiValueHeaders: headers,
    queryStringParameters: nullIfEmpty(lastValues(query)),
    multiValueQueryStringParameters: nullIfEmpty(query),
    pathParameters: nullIfEmpty(pathParameters),
    stageVariables: null,
    requestContext: {
      accountId: localAccount,
      apiId: api.id,
      domainName: request.headers['host']?.at(-1),
      httpMethod,
      path: rawPath,
      requestId,
      resourcePath: method.path,
      stage: api.stageName,
      identity: { sourceIp, userAgent: request.headers['user-agent']?.at(-1) ?? null },
      ...('authorizer' in request && request.authorizer !== undefined && { authorizer: request.authorizer }),
    },
    body: body === '' ? null : body,
    isBase64Encoded: false,
  }
}

/** API Gateway decodes the query for a Lambda proxy integration, and takes `+` for a space. */
const parseQuery = (rawQuery: string): MultiValues => {
  const query = new URLSearchParams(rawQuery)
  return Object.fromEntries([...query.keys()].map((name) => [name, query.getAll(name)]))
}

const lastValues = (values: MultiValues) =>
  Object.fromEntries(Object.entries(values).map(([name, all]) => [name, all?.at(-1)]))

const nullIfEmpty = <Values extends object>(values: Values): Values | null =>
  Object.keys(values).length > 0 ? values : null
