import type { FunctionInvoker } from '../lambda/function-host.ts'
import type { RestApi } from '../template/rest-api.ts'
import { isObject } from '../template/stacks.ts'
import { type Authorized, type GatewayResponseType, type HttpResponse, proxyEvent } from './request.ts'

/** Gives the response of the method's integration. */
export const integrate = async (
  api: RestApi,
  request: Authorized,
  functions: FunctionInvoker,
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
