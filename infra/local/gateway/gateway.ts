import { catalogue, type ErrorCode } from '../../../shared/contract/generated/errors.ts'
import { crossOriginHeaders, noAllowanceHeaders } from '../../../shared/http/response-headers.ts'
import type { FunctionInvoker } from '../lambda/function-host.ts'
import type { RestApi } from '../template/rest-api.ts'
import { authorize } from './authorize.ts'
import { integrate } from './integrate.ts'
import type { GatewayResponseType, HttpResponse, Received } from './request.ts'
import { createRouter } from './route.ts'

/** What the gateway serves, and what it needs for that. It changes when the template does. */
export interface Served {
  readonly api: RestApi
  readonly functions: FunctionInvoker
  readonly site?: Site
}

/** What is served beside the API on the same port; `undefined` for a path that it does not have. */
export type Site = (request: Received) => Promise<HttpResponse | undefined>

/**
 * The order in which API Gateway handles a request. Each phase is one file. Its result is what the next phase takes, so
 * the compiler keeps the order; or it is the type of the gateway response that ends the request.
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
