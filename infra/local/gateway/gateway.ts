import { localRegion } from '../../operations/environment/local-database.ts'
import type { FunctionInvoker } from '../lambda/function-host.ts'
import type { ApiMethod, RestApi } from '../template/rest-api.ts'
import { isObject, localAccount } from '../template/stacks.ts'
import {
  type AuthorizedRequest,
  errorResponse,
  type GatewayResponseType,
  type HttpResponse,
  proxyEvent,
  type ReceivedRequest,
  type RoutedRequest,
} from './request.ts'

/** What the gateway serves, and what it needs for that. It changes when the template does. */
export interface ServedApi {
  readonly api: RestApi
  readonly functions: FunctionInvoker
  readonly site?: Site
}

/** What is served beside the API on the same port; `undefined` for a path that it does not have. */
export type Site = (request: ReceivedRequest) => Promise<HttpResponse | undefined>

/**
 * The order in which API Gateway handles a request: route, authorize, integrate. The result of each phase is what the next
 * one takes, so the compiler keeps the order; or it is the type of the gateway response that ends the request.
 */
export const createGateway = (served: ServedApi) => {
  const { api, site } = served
  const route = createRouter(api)

  return async (received: ReceivedRequest): Promise<HttpResponse> => {
    const routed = route(received)
    if (routed === 'OUTSIDE_STAGE') return respondOutsideStage(api, received, site)
    if (typeof routed === 'string') return gatewayResponse(api, routed)

    const authorized = await authorize(served, routed)
    if (typeof authorized === 'string') return gatewayResponse(api, authorized)

    const response = await integrate(served, authorized)
    return typeof response === 'string' ? gatewayResponse(api, response) : response
  }
}

/**
 * Finds the method for a request, as "Amazon API Gateway" documents it: a static segment goes before a parameter, a
 * parameter before `{proxy+}`. A resource that has neither the method nor `ANY` is passed over, so a known path with
 * another method goes to `{proxy+}`.
 */
const createRouter = ({ stageName, methods }: RestApi) => {
  const inOrder = methods.toSorted((one, other) => (rank(one) < rank(other) ? -1 : 1))
  const routes = inOrder.map((method) => ({ method, pattern: patternOf(method.path) }))

  return (received: ReceivedRequest): RoutedRequest | GatewayResponseType | 'OUTSIDE_STAGE' => {
    // Several slashes before the stage or after it count as one.
    const [, stage, rest = ''] = /^\/*([^/]*)(.*)$/s.exec(received.rawPath) ?? []
    if (stage !== stageName) return 'OUTSIDE_STAGE'
    const path = rest.replace(/^\/*/, '/')
    for (const { method, pattern } of routes) {
      if (method.httpMethod !== received.httpMethod && method.httpMethod !== 'ANY') continue
      const match = pattern.exec(path)
      if (match !== null) return { ...received, method, path, pathParameters: match.groups ?? {} }
    }
    return 'MISSING_AUTHENTICATION_TOKEN'
  }
}

/** Sorts a static segment before a parameter, a parameter before `{proxy+}`, and `ANY` after a method of its own. */
const rank = ({ path, httpMethod }: ApiMethod): string =>
  `${path.replace(/\{\w+\+\}/, '~~').replaceAll(/\{\w+\}/g, '~')} ${httpMethod === 'ANY' ? '~' : ''}`

/** Slashes at the end make no difference to the route, but no parameter takes them. */
const patternOf = (path: string): RegExp => {
  const pattern = path
    .replaceAll('.', '\\.')
    .replace(/\{(\w+)(\+?)\}/g, (_, name: string, greedy) => `(?<${name}>${greedy ? '.*[^/]' : '[^/]+'})`)
  return new RegExp(`^${pattern.replace(/\/$/, '')}/*$`, 's')
}

/**
 * Invokes the method's Lambda authorizer, "Use API Gateway Lambda authorizers": throwing exactly `Unauthorized` is a 401, any
 * other error a 500, a policy that does not allow the method a 403. What API Gateway checks of its own API keys
 * afterwards is only that there is one: usage plans are not emulated.
 */
const authorize = async (
  { api, functions }: ServedApi,
  request: RoutedRequest,
): Promise<AuthorizedRequest | GatewayResponseType> => {
  const { authorizer, apiKeyRequired } = request.method
  if (authorizer === undefined) return { ...request, authorizer: undefined }
  // Its path is the caller's, not the resource's.
  const resource = `${api.id}/${api.stageName}/${request.httpMethod}${request.path}`
  const methodArn = `arn:aws:execute-api:${localRegion}:${localAccount}:${resource}`
  // The event of a REQUEST authorizer has no body.
  const event = { ...proxyEvent(api, { ...request, body: '' }), type: 'REQUEST', methodArn }
  const outcome = await functions.invoke(authorizer, JSON.stringify(event))
  if (outcome.kind === 'error') {
    if (outcome.message === 'Unauthorized') return 'UNAUTHORIZED'
    functions.report(authorizer, outcome.log)
    return 'AUTHORIZER_CONFIGURATION_ERROR'
  }
  // One of another shape is an error below, which is printed.
  const result: AuthorizerResult = JSON.parse(outcome.payload)
  const { context, principalId, usageIdentifierKey } = result
  if (!isAllowed(result, methodArn)) return 'ACCESS_DENIED'
  if (apiKeyRequired && !usageIdentifierKey) return 'INVALID_API_KEY'
  const values = Object.entries({ ...context, principalId }).map(([name, value]) => [name, String(value)])
  return { ...request, authorizer: Object.fromEntries(values) }
}

/** What is read of "Output from an API Gateway Lambda authorizer". */
interface AuthorizerResult {
  readonly principalId: string
  readonly policyDocument: {
    readonly Statement: readonly { readonly Effect: 'Allow' | 'Deny'; readonly Resource: string }[]
  }
  readonly context?: Readonly<Record<string, string | number | boolean>>
  readonly usageIdentifierKey?: string
}

/**
 * An explicit Deny goes before any Allow, and what nothing allows is denied. Of wildcards only one at the end of a resource
 * is supported; with another one the statement is for no method.
 */
const isAllowed = ({ policyDocument }: AuthorizerResult, methodArn: string): boolean => {
  const matching = policyDocument.Statement.filter(({ Resource }) =>
    Resource.endsWith('*') ? methodArn.startsWith(Resource.slice(0, -1)) : methodArn === Resource,
  )
  return matching.length > 0 && matching.every(({ Effect }) => Effect === 'Allow')
}

/** Gives the response of the method's integration. */
const integrate = async (
  { api, functions }: ServedApi,
  request: AuthorizedRequest,
): Promise<HttpResponse | GatewayResponseType> => {
  const { integration } = request.method
  if (typeof integration !== 'string') return { ...integration, headers: Object.entries(integration.headers) }
  const outcome = await functions.invoke(integration, JSON.stringify(proxyEvent(api, request)))
  if (outcome.kind === 'error') {
    functions.report(integration, outcome.log)
    return 'DEFAULT_5XX'
  }
  const response = readResult(JSON.parse(outcome.payload))
  if (response !== undefined) return response
  functions.report(integration, `Malformed Lambda proxy response: ${outcome.payload.slice(0, 1_000)}`)
  return 'DEFAULT_5XX'
}

const knownFields = new Set(['statusCode', 'headers', 'multiValueHeaders', 'body', 'isBase64Encoded'])

/**
 * Reads the result of a function, "Output format of a Lambda function for proxy integration".
 *
 * @returns undefined where API Gateway would call it a malformed Lambda proxy response
 */
const readResult = (result: unknown): HttpResponse | undefined => {
  if (!isObject(result) || Object.keys(result).some((field) => !knownFields.has(field))) return undefined
  const status = Number(result['statusCode'] ?? 200)
  const body = result['body'] ?? ''
  const [single, multiple] = [result['headers'] ?? {}, result['multiValueHeaders'] ?? {}]
  if (!Number.isInteger(status) || typeof body !== 'string' || !isObject(single) || !isObject(multiple))
    return undefined
  const headers = [...Object.entries(multiple), ...Object.entries(single)].flatMap(([name, values]) =>
    [values].flat().map((value) => [renamed(name), String(value)] as const),
  )
  return { status, headers, body }
}

/** "Important notes for REST APIs": a function's headers with these names reach the caller under another one. */
const remapped = new Set([
  ...['authorization', 'connection', 'content-length', 'content-md5', 'date', 'expect', 'host', 'max-forwards'],
  ...['proxy-authenticate', 'server', 'trailer', 'upgrade', 'user-agent', 'www-authenticate'],
])

const renamed = (name: string): string => (remapped.has(name.toLowerCase()) ? `x-amzn-Remapped-${name}` : name)

/** The response of the API itself, "Gateway responses for REST APIs in API Gateway". The template has one for each type. */
const gatewayResponse = ({ gatewayResponses }: RestApi, type: GatewayResponseType): HttpResponse => {
  const response = gatewayResponses.get(type)
  if (response === undefined) throw new Error(`The template has no gateway response ${type}.`)
  const { status, headers, body } = response
  return { status, headers: Object.entries({ 'Content-Type': 'application/json', ...headers }), body }
}

/**
 * The response to a path that is not below the stage: a file of the API reference, or 404. Known difference: on AWS the
 * reference has another host, and API Gateway responds 403 here, which does not say that the path only lacks the stage.
 */
const respondOutsideStage = async (
  { stageName }: RestApi,
  received: ReceivedRequest,
  site?: Site,
): Promise<HttpResponse> => {
  const isRead = received.httpMethod === 'GET' || received.httpMethod === 'HEAD'
  const file = isRead ? await site?.(received) : undefined
  return file ?? errorResponse('route_not_found', `Every path begins with /${stageName}.`)
}
