import type { FunctionInvoker } from '../lambda/function-host.ts'
import { describeError, type InvocationOutcome } from '../lambda/invocation.ts'
import type { RestApi } from '../template/rest-api.ts'
import type { GatewayResponseType } from './gateway-response.ts'
import { traceIdHeader } from './headers.ts'
import { proxyEvent } from './proxy-event.ts'
import { readProxyResult } from './proxy-result.ts'
import type { HttpResponse, Metered } from './request.ts'

/** Lambda takes 6 MB of JSON, escapes included, although API Gateway takes a body of 10 MB. */
const maximumEventBytes = 6 * 1024 * 1024

/** Gives the response of the method's integration. */
export const integrate = async (
  api: RestApi,
  request: Metered,
  authorizerLatency: number,
  functions: FunctionInvoker,
): Promise<HttpResponse | GatewayResponseType> => {
  const { integration } = request.method
  if (integration.type === 'MOCK') {
    // It has no trace id, unlike a function's.
    return { ...integration.response, headers: Object.entries(integration.response.headers) }
  }
  const event = JSON.stringify(proxyEvent(api, request, authorizerLatency))
  if (Buffer.byteLength(event) > maximumEventBytes) return 'REQUEST_TOO_LARGE'
  const { functionName, timeoutMilliseconds } = integration
  const outcome = await withinTimeout(timeoutMilliseconds, functions.invoke(functionName, event))
  if (outcome === 'timeout') return 'INTEGRATION_TIMEOUT'
  if (outcome.kind === 'error') {
    functions.report(functionName, describeError(outcome))
    return 'DEFAULT_5XX'
  }
  const response = readProxyResult(outcome.payload)
  if (response === undefined) {
    functions.report(functionName, `Malformed Lambda proxy response: ${outcome.payload.slice(0, 1_000)}`)
    return 'DEFAULT_5XX'
  }
  return { ...response, headers: [...response.headers, [traceIdHeader, request.traceId]] }
}

/** The function runs on after the integration's timeout, as on Lambda. */
const withinTimeout = async (
  milliseconds: number,
  invocation: Promise<InvocationOutcome>,
): Promise<InvocationOutcome | 'timeout'> => {
  const { promise: expired, resolve: expire } = Promise.withResolvers<'timeout'>()
  const timer = setTimeout(() => expire('timeout'), milliseconds)
  const outcome = await Promise.race([invocation, expired])
  clearTimeout(timer)
  return outcome
}
