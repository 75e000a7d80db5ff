import type { MiddlewareObj } from '@middy/core'
import type { AuthorizerContext, GatewayEvent, GatewayResult } from './gateway-event.ts'

type Headers = Readonly<Record<string, string>>

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
export const exposedHeaders = [
  'Link',
  'Retry-After',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'RateLimit-Policy',
  'RateLimit',
  'Deprecation',
  'Sunset',
  'Idempotency-Replayed',
  'x-amzn-RequestId',
] as const

/** On every response, also of API Gateway itself: any web page may read it. */
export const crossOriginHeaders = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': exposedHeaders.join(','),
} as const

/** The request headers that a web page of another origin may send. */
export const allowedRequestHeaders = ['Authorization', 'Content-Type', 'Idempotency-Key'] as const

/** The headers of every response: who may read it, and what the authorizer found to be left of the limits. */
export const commonHeaders = ({ requestContext: { authorizer } }: GatewayEvent): Headers => {
  const headers: Record<string, string> = { ...crossOriginHeaders }
  for (const [header, value] of Object.entries(rateLimitHeaders)) headers[header] = authorizer[value]
  return headers
}

/** Adds headers to every response, to a success and to an error. */
export const addHeaders = (headersOf: (event: GatewayEvent) => Headers): MiddlewareObj<GatewayEvent, GatewayResult> => {
  const add = (request: { event: GatewayEvent; response: GatewayResult | null | undefined }): void => {
    if (request.response) request.response.headers = { ...headersOf(request.event), ...request.response.headers }
  }
  return { after: add, onError: add }
}
