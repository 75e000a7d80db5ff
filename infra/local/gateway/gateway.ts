import type { IncomingMessage } from 'node:http'
import type { RestApi } from '../template/rest-api.ts'
import { authorize } from './authorize.ts'
import type { FunctionInvoker } from './function-ports.ts'
import { gatewayResponse } from './gateway-response.ts'
import { integrate } from './integrate.ts'
import { meter, type UsageMeter } from './meter.ts'
import { answerOutsideStage, type Site } from './outside-stage.ts'
import { type RequestHead, receive } from './receive.ts'
import { isRefused } from './refusal.ts'
import type { Answer } from './request.ts'
import { isInStage, route } from './route.ts'

export type GatewayPorts = FunctionInvoker & UsageMeter

/**
 * The order in which API Gateway handles a request. Each phase is a file of its own, and its result
 * is what the next one takes, so the compiler keeps the order.
 */
export const handle = async (
  api: RestApi,
  head: RequestHead,
  message: IncomingMessage,
  ports: GatewayPorts,
  site?: Site,
): Promise<Answer | Answer<Uint8Array>> => {
  const received = await receive(head, message)
  if ('status' in received) return received
  if (!isInStage(api, received)) return answerOutsideStage(api, received, site)

  const routed = route(api, received)
  if (isRefused(routed)) return gatewayResponse(api, routed, received)

  const asked = performance.now()
  const authorized = await authorize(api, routed, ports)
  if (isRefused(authorized)) return gatewayResponse(api, authorized, routed)
  const authorizerLatency = Math.round(performance.now() - asked)

  const metered = await meter(api, authorized, ports)
  if (isRefused(metered)) return gatewayResponse(api, metered, routed)

  const answer = await integrate(api, metered, authorizerLatency, ports)
  return isRefused(answer) ? gatewayResponse(api, answer, routed) : answer
}
