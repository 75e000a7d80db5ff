import type { MiddlewareObj } from '@middy/core'
import httpJsonBodyParser from '@middy/http-json-body-parser'
import { ServiceError } from '../errors/service-error.ts'
import { hasMoreValues, parseExactJson, RepeatedNameError } from '../exact-json.ts'
import type { GatewayEvent, GatewayResult } from './gateway-event.ts'
import { headerValues } from './header-values.ts'

/** In bytes of UTF-8. No valid body needs a quarter of it, even with every character escaped. */
export const longestBody = 16 * 1024

/** A valid body has four. Each value takes time, and 16 KB has room for 8,000. */
const mostValues = 100

/**
 * Parses the JSON body, once its length, type and number of values show that this takes little time. middy's parser
 * checks the syntax and the forbidden keys; but it passes no source text to its reviver, so the integers are read from
 * the text once more, exactly.
 */
export const jsonBody = (): MiddlewareObj<GatewayEvent, GatewayResult> => {
  const parser = httpJsonBodyParser<GatewayEvent>({ disableContentTypeCheck: true })
  return {
    before: (request) => {
      const { event } = request
      if (byteLength(event) > longestBody) throw new ServiceError('request_too_large')
      if (!isDeclaredAsJson(event)) throw new ServiceError('unsupported_media_type')
      const text = bodyText(event)
      if (hasMoreValues(text, mostValues)) throw new ServiceError('invalid_body', { message: tooManyValues })
      try {
        parser.before?.({ ...request, event: { ...event } })
        // The event's type knows only the text; readInput takes the parsed value from here.
        event.body = parseExactJson(text) as string
      } catch (error) {
        throw refusal(error, text)
      }
    },
  }
}

/** The length of what the caller sent, without decoding it. Above the limit it may be an estimate that is too low. */
const byteLength = ({ body, isBase64Encoded }: GatewayEvent): number => {
  if (body === null) return 0
  if (isBase64Encoded) return Buffer.byteLength(body, 'base64')
  // No character takes less than a byte, so a long text need not be read.
  return body.length > longestBody ? body.length : Buffer.byteLength(body)
}

const bodyText = ({ body, isBase64Encoded }: GatewayEvent): string =>
  isBase64Encoded ? Buffer.from(body ?? '', 'base64').toString() : (body ?? '')

/** Two types declare nothing, and neither does a character set in which the text would be read as another. */
const isDeclaredAsJson = ({ multiValueHeaders }: GatewayEvent): boolean => {
  const [contentType = '', ...others] = headerValues(multiValueHeaders, 'Content-Type')
  const [type = '', ...parameters] = contentType.split(';').map((part) => part.trim())
  const isMisread = parameters.some((parameter) => /^charset=(?!"?(utf-?8|us-ascii)"?$)/i.test(parameter))
  return /^application\/([a-z0-9.+-]+\+)?json$/i.test(type) && others.length === 0 && !isMisread
}

const tooManyValues = `The body has more than ${mostValues} values. Send only the fields that the operation takes.`

const refusal = (cause: unknown, text: string): ServiceError => {
  if (text === '') return new ServiceError('invalid_body', { message: 'A body is required. Send a JSON object.' })
  if (cause instanceof RepeatedNameError)
    return new ServiceError('invalid_body', { message: 'The body has a field twice. Send each field once.', cause })
  return isJson(text)
    ? new ServiceError('invalid_body', { message: 'The body has a key that is not allowed.', cause })
    : new ServiceError('malformed_json', { cause })
}

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
