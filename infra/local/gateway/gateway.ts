import { catalogue, type ErrorCode } from '../../../shared/contract/generated/errors.ts'
import { crossOriginHeaders, noAllowanceHeaders } from '../../../shared/http/response-headers.ts'
import type { FunctionInvoker } from '../lambda/function-host.ts'
import type { ApiMethod, RestApi } from '../template/rest-api.ts'
import { authorize } from './authorize.ts'
import { integrate } from './integrate.ts'
import type { GatewayResponseType, HttpResponse, Received, Routed } from './request.ts'

/** What the gateway serves, and what it needs for that. It changes when the template does. */
export interface Served {
  readonly api: RestApi
  readonly functions: FunctionInvoker
  readonly site?: Site
}

/** What is served beside the API on the same port; `undefined` for a path that it does not have. */
export type Site = (request: Received) => Promise<HttpResponse | undefined>

/**
 * The order in which API Gateway handles a request: route, authorize, integrate. The result of each phase is what the next
 * one takes, so the compiler keeps the order; or it is the type of the gateway response that ends the request.
 */
export const createGateway = ({ api, functions, site }: Served) => {
  const route = createRouter(api)

  return async (received: Received): Promise<HttpResponse> => {
    const routed = route(received)
    if (routed === 'OUTSIDE_STAGE') return respondOutsideStage(api, received, site)
    if (typeof routed === 'string') return gatewayResponse(api, routed)

    const authorized = await authorize(api, routed, functions)
    if (typeof authorized === 'string') return gatewayResponse(api, authorized)

    const response = await integrate(api, authorized, functions)
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

  return (received: Received): Routed | GatewayResponseType | 'OUTSIDE_STAGE' => {
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
const respondOutsideStage = async ({ stageName }: RestApi, received: Received, site?: Site): Promise<HttpResponse> => {
  const isRead = received.httpMethod === 'GET' || received.httpMethod === 'HEAD'
  const file = isRead ? await site?.(received) : undefined
  return file ?? errorResponse('route_not_found', `Every path begins with /${stageName}.`)
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
