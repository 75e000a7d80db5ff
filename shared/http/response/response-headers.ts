import { rateLimitHeaders } from '../authorizer-context.ts'
import type { GatewayEvent } from '../gateway-event.ts'

export type Headers = Readonly<Record<string, string>>

/** Creates the headers that every response to a request has. */
export type CreateHeaders = (event: GatewayEvent) => Headers

/** Limit headers of a response to a request without a valid key. */
export const zeroLimitHeaders = {
  'X-RateLimit-Limit': '0',
  'X-RateLimit-Remaining': '0',
  'X-RateLimit-Reset': '0',
} as const

export const rateLimitHeaderNames: readonly string[] = rateLimitHeaders.map(({ header }) => header)

/** Response headers that a web page of another origin may read: all of the contract. */
const exposedHeaders = [
  'Allow',
  'Link',
  'Retry-After',
  ...rateLimitHeaderNames,
  'Deprecation',
  'Sunset',
  'Idempotency-Replayed',
  'WWW-Authenticate',
  'x-amzn-RequestId',
  'x-amz-apigw-id',
]

/** Headers of every response, including those of API Gateway itself. Any web page may read the response. */
export const crossOriginHeaders = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': exposedHeaders.join(','),
} as const

/**
 * Creates the headers of every response: the cross-origin headers and the limits that the authorizer passed. Without a
 * context of the authorizer the request is refused, and the response shows limits of 0.
 */
export const createCommonHeaders: CreateHeaders = ({ requestContext: { authorizer } }) => {
  const headers: Record<string, string> = { ...crossOriginHeaders, ...zeroLimitHeaders }
  for (const { header, valueName } of rateLimitHeaders) {
    const value = authorizer?.[valueName]
    if (value !== undefined) headers[header] = value
  }
  return headers
}
