import type { MiddlewareObj } from '@middy/core'
import type { Context } from 'aws-lambda'
import { parseExactJson } from '../../exact-json.ts'
import { ServiceError } from '../../service-error.ts'
import type { GatewayEvent, GatewayResult } from '../gateway-event.ts'
import { readHeaderValues } from './request-headers.ts'

/**
 * Largest body in bytes of UTF-8. `infra/contract` refuses a contract whose longest valid body would not fit, even if
 * all of its characters are escaped.
 */
export const maximumBodyBytes = 16 * 1024

/** Middleware of an operation that takes a body. `bodyText` is the body before httpJsonBodyParser replaces it. */
type BodyMiddleware = MiddlewareObj<GatewayEvent, GatewayResult, Error, Context, { bodyText?: string }>

/**
 * Creates the middleware before httpJsonBodyParser, which passes on only JSON of at most 16 KB. It refuses a longer
 * body with 413, and another type with 415. A missing body passes, whatever its Content-Type: `readInput` says that one
 * is required.
 */
export const limitBody = (): BodyMiddleware => ({
  before: ({ event, internal }) => {
    if (measureBody(event) > maximumBodyBytes) throw new ServiceError('request_too_large')
    // An empty body counts as missing. httpJsonBodyParser passes on null, but would refuse the empty text.
    if (event.body === '') event.body = null
    if (event.body !== null && !isDeclaredAsJson(event)) throw new ServiceError('unsupported_media_type')
    internal.bodyText = decodeBody(event)
  },
})

/**
 * Creates the middleware after httpJsonBodyParser. It parses the text again, because only a reviver that gets the
 * source text can read integers exactly, and middy's parser gives it none. httpJsonBodyParser has already refused
 * invalid JSON and keys such as `__proto__`.
 */
export const readExactIntegers = (): BodyMiddleware => ({
  before: ({ event, internal: { bodyText = 'null' } }) => {
    // `readInput` reads the parsed value from `event.body`, though the type of an event allows only text there.
    event.body = parseExactBody(bodyText) as string
  },
})

/**
 * Measures a body in bytes, without decoding it. For a body above the maximum the result may be too low, but is still
 * above the maximum.
 */
const measureBody = ({ body, isBase64Encoded }: GatewayEvent): number => {
  if (body === null) return 0
  if (isBase64Encoded) return Buffer.byteLength(body, 'base64')
  // A character takes at least one byte, so a text of too many characters is too long.
  return body.length > maximumBodyBytes ? body.length : Buffer.byteLength(body)
}

/** Whether the request has exactly one Content-Type header, of JSON in UTF-8, or in ASCII, which is a part of UTF-8. */
const isDeclaredAsJson = ({ multiValueHeaders }: GatewayEvent): boolean => {
  const [contentType = '', ...others] = readHeaderValues(multiValueHeaders, 'Content-Type')
  const [type = '', ...parameters] = contentType.split(';').map((part) => part.trim())
  const hasJsonType = /^application\/([a-z0-9.+-]+\+)?json$/i.test(type)
  const charsets = parameters.filter((parameter) => /^charset=/i.test(parameter))
  const isUtf8 = charsets.every((charset) => /^charset="?(utf-?8|us-ascii)"?$/i.test(charset))
  return hasJsonType && others.length === 0 && isUtf8
}

/** Decodes a body. A missing one is `null`, as httpJsonBodyParser reads it. */
const decodeBody = ({ body, isBase64Encoded }: GatewayEvent): string => {
  if (body === null) return 'null'
  return isBase64Encoded ? Buffer.from(body, 'base64').toString() : body
}

/**
 * Parses JSON that httpJsonBodyParser has parsed before. A reviver needs more of the stack, so deep nesting may still
 * exceed it.
 *
 * @throws ServiceError `malformed_json` if the text is nested so deeply
 */
const parseExactBody = (text: string): unknown => {
  try {
    return parseExactJson(text)
  } catch {
    throw new ServiceError('malformed_json')
  }
}
