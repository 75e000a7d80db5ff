import type { MiddlewareObj } from '@middy/core'
import httpJsonBodyParser from '@middy/http-json-body-parser'
import { ServiceError } from '../errors/service-error.ts'
import { hasMoreValues, parseExactJson, RepeatedNameError } from '../exact-json.ts'
import type { GatewayEvent, GatewayResult } from './gateway-event.ts'
import { readHeaderValues } from './request-headers.ts'

/** Of UTF-8. A valid body needs less than a quarter, even with every character escaped. */
export const maximumBodyBytes = 16 * 1024

/** A valid body has four. 16 KB could contain 8,000, and each takes time. */
const maximumValues = 100

/**
 * Parses the JSON body, after its length, type and number of values, so that parsing takes little time. middy's parser
 * finds the forbidden keys. It passes no source text to its reviver, so the text is parsed a second time, for exact
 * integers.
 */
export const parseJsonBody = (): MiddlewareObj<GatewayEvent, GatewayResult> => {
  const parser = httpJsonBodyParser<GatewayEvent>({ disableContentTypeCheck: true })
  return {
    before: (request) => {
      const { event } = request
      if (byteLength(event) > maximumBodyBytes) throw new ServiceError('request_too_large')
      if (!isDeclaredAsJson(event)) throw new ServiceError('unsupported_media_type')
      const text = bodyText(event)
      if (text === '') throw invalid('A body is required. Send a JSON object.')
      if (hasMoreValues(text, maximumValues))
        throw invalid(`The body has more than ${maximumValues} values. Send only the fields that the operation takes.`)
      const body = parse(text)
      try {
        parser.before?.({ ...request, event: { ...event } })
      } catch {
        throw invalid('The body has a key that is not allowed.')
      }
      // The type of the event allows only text. readInput reads the parsed value from here.
      event.body = body as string
    },
  }
}

/** The length of the body in bytes, without decoding it. Above the maximum it may be an estimate that is too low. */
const byteLength = ({ body, isBase64Encoded }: GatewayEvent): number => {
  if (body === null) return 0
  if (isBase64Encoded) return Buffer.byteLength(body, 'base64')
  // Each character takes a byte or more, so a long text is too long without counting.
  return body.length > maximumBodyBytes ? body.length : Buffer.byteLength(body)
}

const bodyText = ({ body, isBase64Encoded }: GatewayEvent): string =>
  isBase64Encoded ? Buffer.from(body ?? '', 'base64').toString() : (body ?? '')

/** Two Content-Type headers do not count, nor does a character set other than UTF-8. */
const isDeclaredAsJson = ({ multiValueHeaders }: GatewayEvent): boolean => {
  const [contentType = '', ...others] = readHeaderValues(multiValueHeaders, 'Content-Type')
  const [type = '', ...parameters] = contentType.split(';').map((part) => part.trim())
  const isMisread = parameters.some((parameter) => /^charset=(?!"?(utf-?8|us-ascii)"?$)/i.test(parameter))
  return /^application\/([a-z0-9.+-]+\+)?json$/i.test(type) && others.length === 0 && !isMisread
}

const parse = (text: string): unknown => {
  try {
    return parseExactJson(text)
  } catch (error) {
    throw error instanceof RepeatedNameError
      ? invalid('The body has a field twice. Send each field once.')
      : new ServiceError('malformed_json')
  }
}

const invalid = (message: string): ServiceError => new ServiceError('invalid_body', { message })
