import type { MiddlewareObj } from '@middy/core'
import type { GatewayEvent, GatewayResult } from './gateway-event.ts'

type Headers = Readonly<Record<string, string>>

/** Adds headers to every answer, be it a success or an error. */
export const answerHeaders = (
  headersOf: (event: GatewayEvent) => Headers,
): MiddlewareObj<GatewayEvent, GatewayResult> => {
  const add = (request: { event: GatewayEvent; response: GatewayResult | null | undefined }): void => {
    if (request.response) request.response.headers = { ...headersOf(request.event), ...request.response.headers }
  }
  return { after: add, onError: add }
}
