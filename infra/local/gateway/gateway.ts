import type { IncomingMessage } from 'node:http'
import type { FunctionInvoker } from '../lambda/function-host.ts'
import type { RestApi } from '../template/rest-api.ts'
import { authorize } from './authorize.ts'
import { gatewayResponse } from './gateway-response.ts'
import { integrate } from './integrate.ts'
import { meter, type UsageMeter } from './meter.ts'
import { receive } from './receive.ts'
import type { HttpResponse, RequestHead } from './request.ts'
import { route } from './route.ts'
import { respondOutsideStage, type Site } from './site.ts'

/** What the gateway serves, and what it needs for that. It changes when the template does. */
export interface Served {
  readonly api: RestApi
  readonly functions: FunctionInvoker
  readonly usageMeter: UsageMeter
  readonly site?: Site
}

/**
 * The order in which API Gateway handles a request. Each phase is one file. Its result is
 * what the next phase takes, so the compiler keeps the order; or it is the type of the gateway
 * response that ends the request.
 */
export const handle = async (
  { api, functions, usageMeter, site }: Served,
  head: RequestHead,
  message: IncomingMessage,
): Promise<HttpResponse> => {
  const received = await receive(head, message)
  if ('status' in received) return received

  const routed = route(api, received)
  if (routed === undefined) return respondOutsideStage(api, received, site)
  if (typeof routed === 'string') return gatewayResponse(api, routed)

  const startedAt = performance.now()
  const authorized = await authorize(api, routed, functions)
  if (typeof authorized === 'string') return gatewayResponse(api, authorized)
  const authorizerLatency = Math.round(performance.now() - startedAt)

  const metered = await meter(api, authorized, usageMeter)
  if (typeof metered === 'string') return gatewayResponse(api, metered)

  const response = await integrate(api, metered, authorizerLatency, functions)
  return typeof response === 'string' ? gatewayResponse(api, response) : response
}
