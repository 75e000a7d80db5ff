import type { FunctionInvoker } from '../lambda/function-host.ts'
import type { RestApi } from '../template/rest-api.ts'
import { authorize } from './authorize.ts'
import { integrate } from './integrate.ts'
import type { HttpResponse, Received } from './request.ts'
import { errorResponse, gatewayResponse } from './responses.ts'
import { route } from './route.ts'

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
export const handle = async ({ api, functions, site }: Served, received: Received): Promise<HttpResponse> => {
  const routed = route(api, received)
  if (routed === undefined) return respondOutsideStage(api, received, site)
  if (typeof routed === 'string') return gatewayResponse(api, routed)

  const authorized = await authorize(api, routed, functions)
  if (typeof authorized === 'string') return gatewayResponse(api, authorized)

  const response = await integrate(api, authorized, functions)
  return typeof response === 'string' ? gatewayResponse(api, response) : response
}

/**
 * The response to a path that is not below the stage: a file of the API reference, or 404. Known
 * difference: on AWS the reference has another host, and API Gateway responds 403
 * `{"message":"Forbidden"}` here, which does not say that the path only lacks the stage.
 */
const respondOutsideStage = async (
  { stageName }: RestApi,
  received: Received,
  site: Site = async () => undefined,
): Promise<HttpResponse> => {
  const isRead = received.httpMethod === 'GET' || received.httpMethod === 'HEAD'
  const file = isRead ? await site(received) : undefined
  return file ?? errorResponse('route_not_found', `Every path begins with /${stageName}.`)
}
