import { validateHeaderName, validateHeaderValue } from 'node:http'
import { isObject, type JsonObject } from '../../synthesis/json.ts'
import type { FunctionInvoker } from '../lambda/function-host.ts'
import { describeError } from '../lambda/invocation.ts'
import type { RestApi } from '../template/rest-api.ts'
import { proxyEvent } from './proxy-event.ts'
import { type Authorized, type HttpResponse, traceIdHeader } from './request.ts'
import type { GatewayResponseType } from './responses.ts'

/** Lambda takes 6 MB of JSON, escapes included, although API Gateway takes a body of 10 MB. */
const maximumEventBytes = 6 * 1024 * 1024

/** Gives the response of the method's integration. */
export const integrate = async (
  api: RestApi,
  request: Authorized,
  functions: FunctionInvoker,
): Promise<HttpResponse | GatewayResponseType> => {
  const { integration } = request.method
  if (integration.type === 'MOCK') {
    // It has no trace id, unlike a function's.
    return { ...integration.response, headers: Object.entries(integration.response.headers) }
  }
  const event = JSON.stringify(proxyEvent(api, request))
  if (Buffer.byteLength(event) > maximumEventBytes) return 'REQUEST_TOO_LARGE'
  const { functionName, timeoutMilliseconds } = integration
  const expired = Promise.withResolvers<undefined>()
  const timer = setTimeout(expired.resolve, timeoutMilliseconds, undefined)
  // After the timeout the function runs on, as on Lambda.
  const outcome = await Promise.race([functions.invoke(functionName, event), expired.promise])
  clearTimeout(timer)
  if (outcome === undefined) return 'INTEGRATION_TIMEOUT'
  if (outcome.kind === 'error') {
    functions.report(functionName, describeError(outcome))
    return 'DEFAULT_5XX'
  }
  const response = readResult(JSON.parse(outcome.payload))
  if (response === undefined) {
    functions.report(functionName, `Malformed Lambda proxy response: ${outcome.payload.slice(0, 1_000)}`)
    return 'DEFAULT_5XX'
  }
  return { ...response, headers: [...response.headers, [traceIdHeader, request.traceId]] }
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
  const headers = readHeaders(result)
  // Without binary media types API Gateway does not decode base64.
  const body = result['body'] ?? ''
  if (!Number.isInteger(status) || status < 200 || status > 599) return undefined
  if (headers === undefined || typeof body !== 'string') return undefined
  return { status, headers: renamed(headers), body }
}

type Header = readonly [name: string, value: string]

/**
 * A name that is in both has the values of `multiValueHeaders` first. "If the same key-value pair is specified in
 * both, only the values from multiValueHeaders will appear in the merged list."
 */
const readHeaders = (result: JsonObject): readonly Header[] | undefined => {
  const [single, multiple] = [result['headers'] ?? {}, result['multiValueHeaders'] ?? {}]
  if (!isObject(single) || !isObject(multiple)) return undefined
  const first = Object.entries(multiple).flatMap(([name, values]) =>
    // A value that is no list makes the header invalid.
    (Array.isArray(values) ? values : [undefined]).map((value: unknown) => [name, value] as const),
  )
  const isRepeated = ([name, value]: readonly [string, unknown]): boolean =>
    first.some(([other, same]) => other.toLowerCase() === name.toLowerCase() && String(same) === String(value))
  const all = [...first, ...Object.entries(single).filter((header) => !isRepeated(header))]
  return all.every(isHeader) ? all.map(([name, value]) => [name, String(value)]) : undefined
}

/** API Gateway writes booleans and numbers as text. */
const isHeader = ([name, value]: readonly [string, unknown]): boolean => {
  if (!['string', 'boolean', 'number'].includes(typeof value)) return false
  try {
    validateHeaderName(name)
    validateHeaderValue(name, String(value))
    return true
  } catch {
    return false
  }
}

/** "Important notes for REST APIs": a function's headers with these names reach the caller under another one. */
const remapped = new Set([
  ...['authorization', 'connection', 'content-length', 'content-md5', 'date', 'expect', 'host', 'max-forwards'],
  ...['proxy-authenticate', 'server', 'trailer', 'upgrade', 'user-agent', 'www-authenticate'],
])

const renamed = (headers: readonly Header[]): readonly Header[] =>
  headers
    .filter(([name]) => name.toLowerCase() !== 'transfer-encoding')
    .map(([name, value]) => [remapped.has(name.toLowerCase()) ? `x-amzn-Remapped-${name}` : name, value])
