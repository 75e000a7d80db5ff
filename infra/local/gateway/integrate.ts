import type { InvocationOutcome } from '../lambda/invocation.ts'
import type { MockIntegration, ProxyIntegration } from '../template/integration.ts'
import type { RestApi } from '../template/rest-api.ts'
import type { FunctionInvoker } from './function-ports.ts'
import { traceIdHeader } from './headers.ts'
import { proxyEvent } from './proxy-event.ts'
import { readProxyResult } from './proxy-result.ts'
import { type Refused, refuse } from './refusal.ts'
import type { Answer, Metered } from './request.ts'

/** Lambda takes 6 MB of JSON, escapes included, although API Gateway takes a body of 10 MB. */
const longestEvent = 6 * 1024 * 1024

/** Has the method's integration answer the request. */
export const integrate = async (
  api: RestApi,
  request: Metered,
  authorizerLatency: number,
  ports: FunctionInvoker,
): Promise<Answer | Refused> => {
  const { integration } = request.method
  if (integration.type === 'MOCK') return mockAnswer(integration)
  const refuseHere = (type: Refused['refused']) => refuse(type, request.authorizerValues)
  const event = JSON.stringify(proxyEvent(api, request, authorizerLatency))
  if (Buffer.byteLength(event) > longestEvent) return refuseHere('REQUEST_TOO_LARGE')
  const { functionName } = integration
  const outcome = await withinTimeout(integration, ports.host.invoke(functionName, event))
  if (outcome === 'timeout') return refuseHere('INTEGRATION_TIMEOUT')
  if (outcome.kind === 'error') {
    ports.report(functionName, outcome.stack ?? `${outcome.errorType}: ${outcome.errorMessage}`)
    return refuseHere('DEFAULT_5XX')
  }
  const answer = readProxyResult(outcome.payload)
  if (answer === undefined) {
    ports.report(functionName, `Malformed Lambda proxy response: ${outcome.payload.slice(0, 1_000)}`)
    return refuseHere('DEFAULT_5XX')
  }
  return { ...answer, headers: [...answer.headers, [traceIdHeader, request.traceId]] }
}

/** It has no trace id, unlike a function's. */
const mockAnswer = ({ status, headers, body }: MockIntegration): Answer => ({
  status,
  headers: Object.entries(headers),
  body,
})

/** The function runs on after the integration's timeout, as on Lambda. */
const withinTimeout = async (
  { timeoutMilliseconds }: ProxyIntegration,
  invocation: Promise<InvocationOutcome>,
): Promise<InvocationOutcome | 'timeout'> => {
  const { promise: expired, resolve: expire } = Promise.withResolvers<'timeout'>()
  const timer = setTimeout(() => expire('timeout'), timeoutMilliseconds)
  const outcome = await Promise.race([invocation, expired])
  clearTimeout(timer)
  return outcome
}
