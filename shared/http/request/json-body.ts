import type { MiddlewareObj } from '@middy/core'
import httpJsonBodyParser from '@middy/http-json-body-parser'
import { ServiceError } from '../../errors/service-error.ts'
import { hasMoreValues, MemberNameError, parseExactJson } from '../../exact-json.ts'
import type { GatewayEvent, GatewayResult } from '../gateway-event.ts'
import { readHeaderValues } from './request-headers.ts'

/**
 * Largest body in bytes of UTF-8. The generator makes sure that every valid body fits, also with every character
 * escaped.
 */
export const maximumBodyBytes = 16 * 1024

/** Largest number of JSON values in a body. A valid body has four. 16 KB could contain 8,000, and each takes time. */
export const maximumBodyValues = 100

/**
 * Middleware that parses the JSON body and puts the parsed value into `event.body`. The length, the type and the
 * number of values are checked first, so that parsing takes little time.
 *
 * middy's parser finds forbidden keys such as `__proto__`. Its reviver gets no source text, so `parseExactJson` parses
 * the text as well, for exact integers.
 */
export const parseJsonBody = (): MiddlewareObj<GatewayEvent, GatewayResult> => {
  const parser = httpJsonBodyParser<GatewayEvent>({ disableContentTypeCheck: true })
  return {
    before: (request) => {
      const { event } = request
      if (measureBody(event) > maximumBodyBytes) throw new ServiceError('request_too_large')
      if (!isDeclaredAsJson(event)) throw new ServiceError('unsupported_media_type')

      const text = decodeBody(event)
      if (text === '') throw createBodyError('A body is required. Send a JSON object.')
      if (hasMoreValues(text, maximumBodyValues)) {
        throw createBodyError(
          `The body has more than ${maximumBodyValues} values. Send only the fields that the operation takes.`,
        )
      }

      const body = parseBody(text)
      try {
        // middy's parser only looks for forbidden keys here. It replaces the body of its event, so it gets a copy.
        parser.before?.({ ...request, event: { ...event } })
      } catch {
        throw createBodyError('The body has a key that is not allowed.')
      }

      // `readInput` reads the parsed value from `event.body`, though the type of an event allows only text there.
      event.body = body as string
    },
  }
}

/** Length of the body in bytes, without decoding it. Above the maximum it may be an estimate that is too low. */
const measureBody = ({ body, isBase64Encoded }: GatewayEvent): number => {
  if (body === null) return 0
  if (isBase64Encoded) return Buffer.byteLength(body, 'base64')
  // A character takes at least one byte, so a text of too many characters is too long.
  return body.length > maximumBodyBytes ? body.length : Buffer.byteLength(body)
}

const decodeBody = ({ body, isBase64Encoded }: GatewayEvent): string =>
  isBase64Encoded ? Buffer.from(body ?? '', 'base64').toString() : (body ?? '')

/** Tells whether the request has exactly one Content-Type header, for JSON in UTF-8 or in ASCII, a part of UTF-8. */
const isDeclaredAsJson = ({ multiValueHeaders }: GatewayEvent): boolean => {
  const [contentType = '', ...others] = readHeaderValues(multiValueHeaders, 'Content-Type')
  const [type = '', ...parameters] = contentType.split(';').map((part) => part.trim())
  const hasJsonType = /^application\/([a-z0-9.+-]+\+)?json$/i.test(type)
  const hasOtherCharset = parameters.some((parameter) => /^charset=(?!"?(utf-?8|us-ascii)"?$)/i.test(parameter))
  return hasJsonType && others.length === 0 && !hasOtherCharset
}

const parseBody = (text: string): unknown => {
  try {
    return parseExactJson(text)
  } catch (error) {
    throw error instanceof MemberNameError
      ? createBodyError(`The body ${error.message}.`)
      : new ServiceError('malformed_json')
  }
}

const createBodyError = (message: string): ServiceError => new ServiceError('invalid_body', { message })
