import type { MiddlewareObj } from '@middy/core'
import httpJsonBodyParser from '@middy/http-json-body-parser'
import { ServiceError } from '../errors/service-error.ts'
import { parseExactJson } from '../exact-json.ts'
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
      const [contentType = ''] = headerValues(event.multiValueHeaders, 'Content-Type')
      const mediaType = contentType.split(';')[0]?.trim() ?? ''
      const spelled = { ...event, headers: { 'Content-Type': mediaType } }
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

const refusal = (cause: unknown, text: string): ServiceError => {
  if (hasStatus(cause, 415)) return new ServiceError('unsupported_media_type', { cause })
  if (text === '') return new ServiceError('invalid_body', { message: 'A body is required. Send a JSON object.' })
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
