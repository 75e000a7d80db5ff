import { type AuthorizerContext, findInvalidValue } from './authorizer-context.ts'
import type { GatewayEvent } from './gateway-event.ts'

export type Headers = Readonly<Record<string, string>>

/** The headers that a response gets whatever it is, by its request. */
export type CreateHeaders = (event: GatewayEvent) => Headers

/** The limit headers of a response, and the authorizer's value that each one shows. */
export const rateLimitHeaders = {
  'X-RateLimit-Limit': 'rateLimitLimit',
  'X-RateLimit-Remaining': 'rateLimitRemaining',
  'X-RateLimit-Reset': 'rateLimitReset',
  'RateLimit-Policy': 'rateLimitPolicy',
  RateLimit: 'rateLimitWindows',
} as const satisfies Record<string, keyof AuthorizerContext>

/** The limit headers of a request without a valid key: it has no allowance. */
export const noAllowanceHeaders = {
  'X-RateLimit-Limit': '0',
  'X-RateLimit-Remaining': '0',
  'X-RateLimit-Reset': '0',
} as const

/** The headers that a web page of another origin may read. */
const exposedHeaders = [
  ...['Link', 'Retry-After'],
  ...Object.keys(rateLimitHeaders),
  ...['Deprecation', 'Sunset', 'Idempotency-Replayed', 'x-amzn-RequestId'],
]

/** On every response, also of API Gateway itself: any web page may read it. */
export const crossOriginHeaders = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': exposedHeaders.join(','),
} as const

/** The request headers that a web page of another origin may send. */
export const allowedRequestHeaders = ['Authorization', 'Content-Type', 'Idempotency-Key'] as const

/** The headers of every response: who may read it, and what the authorizer found to be left of the limits. */
export const createCommonHeaders: CreateHeaders = ({ requestContext: { authorizer } }) => {
  if (findInvalidValue(authorizer) !== undefined) return { ...crossOriginHeaders, ...noAllowanceHeaders }
  const headers: Record<string, string> = { ...crossOriginHeaders }
  for (const [header, value] of Object.entries(rateLimitHeaders)) headers[header] = authorizer[value]
  return headers
}
