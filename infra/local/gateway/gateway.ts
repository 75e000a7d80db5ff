/**
 * The three phases in which the gateway handles a request, as API Gateway does: find the route, invoke the authorizer,
 * execute the integration.
 *
 * Unlike API Gateway:
 * - Usage plans, throttles of the stage and of the account, a firewall and access logs are not emulated. A method that
 *   needs an API key accepts any key that its authorizer names.
 * - A MOCK integration sends its response without evaluating templates.
 * - An integration has no timeout of its own. Functions end earlier, at their own timeouts.
 * - The response to a path outside the stage is a file of the API reference, or a 404 that names the stage. On AWS the
 *   reference has another host, and API Gateway responds 403 `Forbidden`.
 * - An authorizer that throws exactly `Unauthorized` has failed, as with any other error. On AWS the caller gets 401.
 *   The authorizer of this service never throws it.
 * - A path outside every route has the same gateway response with or without a Bearer token. API Gateway reads the
 *   token as a signature, and responds with another error.
 */
import { localRegion } from '../../commands/environment/local-database.ts'
import type { FunctionInvoker } from '../lambda/function-host.ts'
import type { ApiMethod, RestApi } from '../template/rest-api.ts'
import { isObject, localAccount } from '../template/stacks.ts'
import {
  type AuthorizedRequest,
  createErrorResponse,
  createProxyEvent,
  type GatewayResponseType,
  type HttpResponse,
  type ReceivedRequest,
  type RoutedRequest,
} from './request.ts'

/** An API with its functions. A change of the code replaces it. */
export interface ServedApi {
  readonly api: RestApi
  readonly functions: FunctionInvoker
  readonly site?: Site
}

/** Serves the files beside the API. Returns undefined for a path without a file. */
export type Site = (request: ReceivedRequest) => Promise<HttpResponse | undefined>

/**
 * Creates the function that responds to requests. Each phase returns the input of the next one, or the type of the
 * gateway response to send.
 */
export const createGateway = (served: ServedApi) => {
  const { api, site } = served
  const route = createRouter(api)

  return async (received: ReceivedRequest): Promise<HttpResponse> => {
    const routed = route(received)
    if (routed === 'OUTSIDE_STAGE') return respondOutsideStage(api, received, site)
    if (typeof routed === 'string') return findGatewayResponse(api, routed)

    const authorized = await authorize(served, routed)
    if (typeof authorized === 'string') return findGatewayResponse(api, authorized)

    const response = await integrate(served, authorized)
    return typeof response === 'string' ? findGatewayResponse(api, response) : response
  }
}

/**
 * Creates the function that finds the method for a request, as "Amazon API Gateway" documents it: a static segment
 * takes precedence over a parameter, and a parameter over `{proxy+}`. A resource that has neither the request's method
 * nor `ANY` is skipped, so a known path with another method reaches `{proxy+}`.
 */
const createRouter = ({ stageName, methods }: RestApi) => {
  const sortedMethods = methods.toSorted((one, other) => (createSortKey(one) < createSortKey(other) ? -1 : 1))
  const routes = sortedMethods.map((method) => ({ method, pattern: createPathPattern(method.path) }))

  return (received: ReceivedRequest): RoutedRequest | GatewayResponseType | 'OUTSIDE_STAGE' => {
    // Several slashes before the stage, or after it, count as one.
    const [, stage, rest = ''] = /^\/*([^/]*)(.*)$/s.exec(received.rawPath) ?? []
    if (stage !== stageName) return 'OUTSIDE_STAGE'

    const path = rest.replace(/^\/*/, '/')
    const route = routes.find(({ method, pattern }) => allowsMethod(method, received) && pattern.test(path))
    if (route === undefined) return 'MISSING_AUTHENTICATION_TOKEN'

    const pathParameters = route.pattern.exec(path)?.groups ?? {}
    return { ...received, method: route.method, path, pathParameters }
  }
}

const allowsMethod = ({ httpMethod }: ApiMethod, received: ReceivedRequest): boolean =>
  httpMethod === 'ANY' || httpMethod === received.httpMethod

/**
 * Creates the text by which routes are sorted. `~` sorts after letters, so:
 *
 * - a parameter becomes `~`, and comes after a static segment.
 * - `{proxy+}` becomes `~~`, and comes after a parameter.
 * - `ANY` becomes `~`, and comes after a specific method, which becomes the empty text.
 */
const createSortKey = ({ path, httpMethod }: ApiMethod): string => {
  const pathKey = path.replace(/\{\w+\+\}/, '~~').replaceAll(/\{\w+\}/g, '~')
  const methodKey = httpMethod === 'ANY' ? '~' : ''
  return `${pathKey} ${methodKey}`
}

/** Creates the pattern of a resource's path. Slashes at the end of a path are allowed, and belong to no parameter. */
const createPathPattern = (path: string): RegExp => {
  // The last step makes the root path `/` empty: its slash counts as one at the end.
  const pattern = path
    .replaceAll('.', '\\.')
    .replaceAll(/\{(\w+)\+\}/g, '(?<$1>.*[^/])')
    .replaceAll(/\{(\w+)\}/g, '(?<$1>[^/]+)')
    .replace(/\/$/, '')
  return new RegExp(`^${pattern}/*$`, 's')
}

/** The parts of an authorizer's result that the gateway reads ("Output from an API Gateway Lambda authorizer"). */
interface AuthorizerResult {
  readonly principalId: string
  readonly policyDocument: {
    readonly Statement: readonly { readonly Effect: 'Allow' | 'Deny'; readonly Resource: string }[]
  }
  readonly context?: Readonly<Record<string, string | number | boolean>>
  readonly usageIdentifierKey?: string
}

/**
 * Invokes the method's Lambda authorizer. A policy that does not allow the method causes ACCESS_DENIED ("Gateway
 * response types for API Gateway").
 */
const authorize = async (
  { api, functions }: ServedApi,
  request: RoutedRequest,
): Promise<AuthorizedRequest | GatewayResponseType> => {
  const { authorizer, apiKeyRequired } = request.method
  if (authorizer === undefined) return { ...request, authorizer: undefined }

  // The ARN contains the path that the caller sent, not the path of the resource.
  const resource = `${api.id}/${api.stageName}/${request.httpMethod}${request.path}`
  const methodArn = `arn:aws:execute-api:${localRegion}:${localAccount}:${resource}`
  // The event of a REQUEST authorizer has no body.
  const event = { ...createProxyEvent(api, request, ''), type: 'REQUEST', methodArn }

  const outcome = await functions.invoke(authorizer, JSON.stringify(event))
  if (outcome.kind === 'error') {
    functions.report(authorizer, outcome.log)
    return 'AUTHORIZER_CONFIGURATION_ERROR'
  }

  // A result of another shape throws an error below. The server logs it and responds 500.
  const result: AuthorizerResult = JSON.parse(outcome.payload)
  if (!isAllowed(result, methodArn)) return 'ACCESS_DENIED'
  if (apiKeyRequired && !result.usageIdentifierKey) return 'INVALID_API_KEY'

  const values = Object.entries({ ...result.context, principalId: result.principalId })
  const context = Object.fromEntries(values.map(([name, value]) => [name, String(value)]))
  return { ...request, authorizer: context }
}

/**
 * Whether a policy allows a method: an explicit Deny overrides any Allow, and the default is Deny. The only supported
 * wildcard is one at the end of a resource. A statement with another wildcard matches no method.
 */
const isAllowed = ({ policyDocument }: AuthorizerResult, methodArn: string): boolean => {
  const matching = policyDocument.Statement.filter(({ Resource }) =>
    Resource.endsWith('*') ? methodArn.startsWith(Resource.slice(0, -1)) : methodArn === Resource,
  )
  return matching.length > 0 && matching.every(({ Effect }) => Effect === 'Allow')
}

/**
 * Executes the method's integration: invokes its function, or returns the response of a MOCK integration.
 *
 * A function that crashes is INTEGRATION_FAILURE on AWS (access logs in DataBiosphere/azul#6624). One that exceeds its
 * timeout, or returns a malformed result, fails in the same way ("Handling Lambda errors with an API Gateway API").
 */
const integrate = async (
  { api, functions }: ServedApi,
  request: AuthorizedRequest,
): Promise<HttpResponse | GatewayResponseType> => {
  const { integration } = request.method
  if (typeof integration !== 'string') return { ...integration, headers: Object.entries(integration.headers) }

  const body = await request.readBody()
  if (body === undefined) return 'REQUEST_TOO_LARGE'

  const outcome = await functions.invoke(integration, JSON.stringify(createProxyEvent(api, request, body)))
  if (outcome.kind === 'error') {
    functions.report(integration, outcome.log)
    return 'INTEGRATION_FAILURE'
  }

  const response = readProxyResponse(JSON.parse(outcome.payload))
  if (response !== undefined) return response
  functions.report(integration, `Malformed Lambda proxy response: ${outcome.payload.slice(0, 1_000)}`)
  return 'INTEGRATION_FAILURE'
}

const proxyResponseFields = new Set(['statusCode', 'headers', 'multiValueHeaders', 'body', 'isBase64Encoded'])

/**
 * Reads the result of a function ("Output format of a Lambda function for proxy integration").
 *
 * @returns undefined if API Gateway would call the result a malformed Lambda proxy response
 */
const readProxyResponse = (result: unknown): HttpResponse | undefined => {
  if (!isObject(result)) return undefined
  const hasUnknownField = Object.keys(result).some((field) => !proxyResponseFields.has(field))
  if (hasUnknownField) return undefined

  const status = Number(result['statusCode'] ?? 200)
  const body = result['body'] ?? ''
  const headers = readHeaders(result['headers'], result['multiValueHeaders'])
  if (!Number.isInteger(status) || typeof body !== 'string' || headers === undefined) return undefined
  return { status, headers, body }
}

/** Reads the two header maps of a result. If both contain a header, the values of `multiValueHeaders` come first. */
const readHeaders = (single: unknown, multiple: unknown): HttpResponse['headers'] | undefined => {
  const singleHeaders = single ?? {}
  const multiHeaders = multiple ?? {}
  if (!isObject(singleHeaders) || !isObject(multiHeaders)) return undefined

  const entries = [...Object.entries(multiHeaders), ...Object.entries(singleHeaders)]
  return entries.flatMap(([name, valueOrValues]) => {
    const values: readonly unknown[] = Array.isArray(valueOrValues) ? valueOrValues : [valueOrValues]
    return values.map((value) => [remapHeaderName(name), String(value)] as const)
  })
}

/** Headers of a function that reach the caller under another name ("Important notes for REST APIs"). */
const remappedHeaders = new Set([
  'authorization',
  'connection',
  'content-length',
  'content-md5',
  'date',
  'expect',
  'host',
  'max-forwards',
  'proxy-authenticate',
  'server',
  'trailer',
  'upgrade',
  'user-agent',
  'www-authenticate',
])

const remapHeaderName = (name: string): string =>
  remappedHeaders.has(name.toLowerCase()) ? `x-amzn-Remapped-${name}` : name

/** Finds a response of the API itself ("Gateway responses for REST APIs in API Gateway"). */
const findGatewayResponse = ({ gatewayResponses }: RestApi, type: GatewayResponseType): HttpResponse => {
  const response = gatewayResponses.get(type)
  if (response === undefined) throw new Error(`The template has no gateway response ${type}.`)

  const { status, headers, body } = response
  return { status, headers: Object.entries({ 'Content-Type': 'application/json', ...headers }), body }
}

/** Responds to a path outside the stage: with a file of the API reference, or with 404. */
const respondOutsideStage = async (
  { stageName }: RestApi,
  received: ReceivedRequest,
  site: Site | undefined,
): Promise<HttpResponse> => {
  const isRead = received.httpMethod === 'GET' || received.httpMethod === 'HEAD'
  const file = isRead ? await site?.(received) : undefined
  return file ?? createErrorResponse('route_not_found', `Every path begins with /${stageName}.`)
}
