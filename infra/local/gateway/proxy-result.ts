import { validateHeaderName, validateHeaderValue } from 'node:http'
import { isObject, type JsonObject } from '../../synthesis/json.ts'
import { responseHeaders } from './headers.ts'
import type { HttpResponse } from './request.ts'

const knownFields = new Set(['statusCode', 'headers', 'multiValueHeaders', 'body', 'isBase64Encoded'])

/**
 * Reads the result of a function, "Output format of a Lambda function for
 * proxy integration".
 *
 * @returns undefined where API Gateway would call it a malformed Lambda proxy response
 */
export const readProxyResult = (payload: string): HttpResponse | undefined => {
  const result: unknown = JSON.parse(payload)
  if (!isObject(result) || Object.keys(result).some((field) => !knownFields.has(field))) return undefined
  const status = Number(result['statusCode'] ?? 200)
  const headers = readHeaders(result)
  // Without binary media types API Gateway does not decode base64.
  const body = result['body'] ?? ''
  if (!Number.isInteger(status) || status < 200 || status > 599) return undefined
  if (headers === undefined || typeof body !== 'string') return undefined
  return { status, headers: responseHeaders(headers), body }
}

type Header = readonly [name: string, value: string]

/**
 * A name that is in both has the values of `multiValueHeaders` first. "If the same key-value pair is specified in
 * both, only the values from multiValueHeaders will appear in the merged list."
 */
const readHeaders = (result: JsonObject): readonly Header[] | undefined => {
  const { headers = {}, multiValueHeaders = {} } = result
  if (!isObject(headers ?? {}) || !isObject(multiValueHeaders ?? {})) return undefined
  const multiple = Object.entries(multiValueHeaders ?? {}).flatMap(([name, values]) =>
    // A value that is no list makes the header invalid.
    (Array.isArray(values) ? values : [undefined]).map((value: unknown) => [name, value] as const),
  )
  const single = Object.entries(headers ?? {})
  if (![...multiple, ...single].every(([name, value]) => isHeader(name, value))) return undefined
  const asText = ([name, value]: readonly [string, unknown]): Header => [name, String(value)]
  const first = multiple.map(asText)
  return [...first, ...single.map(asText).filter((header) => !first.some((other) => isSame(header, other)))]
}

const isSame = ([name, value]: Header, [otherName, otherValue]: Header): boolean =>
  name.toLowerCase() === otherName.toLowerCase() && value === otherValue

/** API Gateway writes booleans and numbers as text. */
const isHeader = (name: string, value: unknown): boolean => {
  if (!['string', 'boolean', 'number'].includes(typeof value)) return false
  try {
    validateHeaderName(name)
    validateHeaderValue(name, String(value))
    return true
  } catch {
    return false
  }
}
