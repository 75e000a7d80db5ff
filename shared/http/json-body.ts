import type { MiddlewareObj } from '@middy/core'
import httpJsonBodyParser from '@middy/http-json-body-parser'
import { ServiceError } from '../errors/service-error.ts'
import { parseExactJson, RepeatedNameError } from '../exact-json.ts'
import type { GatewayEvent, GatewayResult } from './gateway-event.ts'
import { headerValues } from './header-values.ts'

/**
 * Parses the JSON body. middy's parser judges the content type, the syntax and the forbidden keys; but it
 * hands its reviver no source text, so the integers are read from the text once more, exactly.
 */
export const jsonBody = (): MiddlewareObj<GatewayEvent, GatewayResult> => {
  const parser = httpJsonBodyParser<GatewayEvent>()
  return {
    before: (request) => {
      const { event } = request
      const text = bodyText(event)
      // The parser knows two spellings of the header's name, and no space before a parameter; HTTP has more.
      const spelled = { ...event, headers: { 'Content-Type': mediaType(event) } }
      try {
        parser.before?.({ ...request, event: spelled })
        // The event's type knows only the text; readInput takes the parsed value from here.
        event.body = parseExactJson(text) as string
      } catch (error) {
        throw refusal(error, text)
      }
    },
  }
}

const bodyText = ({ body, isBase64Encoded }: GatewayEvent): string =>
  isBase64Encoded ? Buffer.from(body ?? '', 'base64').toString() : (body ?? '')

/** Empty where the caller declares two types, or characters that would be read as others than were meant. */
const mediaType = ({ multiValueHeaders }: GatewayEvent): string => {
  const [contentType = '', ...others] = headerValues(multiValueHeaders, 'Content-Type')
  const [type = '', ...parameters] = contentType.split(';').map((part) => part.trim())
  const isMisread = parameters.some((parameter) => /^charset=(?!"?(utf-?8|us-ascii)"?$)/i.test(parameter))
  return isMisread || others.length > 0 ? '' : type
}

const refusal = (cause: unknown, text: string): ServiceError => {
  if (hasStatus(cause, 415)) return new ServiceError('unsupported_media_type', { cause })
  if (text === '') return new ServiceError('invalid_body', { message: 'A body is required. Send a JSON object.' })
  if (cause instanceof RepeatedNameError)
    return new ServiceError('invalid_body', { message: 'The body has a field twice. Send each field once.', cause })
  return isJson(text)
    ? new ServiceError('invalid_body', {
        message: 'The body has a key that is not allowed, or is nested too deeply.',
        cause,
      })
    : new ServiceError('malformed_json', { cause })
}

const hasStatus = (error: unknown, status: number): boolean =>
  error instanceof Error && 'statusCode' in error && error.statusCode === status

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
