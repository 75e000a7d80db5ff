import type { AuthorizerContext } from './authorizer-context.ts'

/** The limit headers of an answer, and the authorizer's figure that each one shows. */
export const rateLimitHeaders = {
  'X-RateLimit-Limit': 'rateLimitLimit',
  'X-RateLimit-Remaining': 'rateLimitRemaining',
  'X-RateLimit-Reset': 'rateLimitReset',
  'RateLimit-Policy': 'rateLimitPolicy',
  RateLimit: 'rateLimitWindows',
} as const satisfies Record<string, keyof AuthorizerContext>

/** What the limit headers show where no valid key was seen: there is no allowance without one. */
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

/** On every answer, whoever gives it: any web page may read it. */
export const crossOriginHeaders = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': exposedHeaders.join(','),
} as const

/** The request headers that a web page of another origin may send. */
export const allowedRequestHeaders = ['Authorization', 'Content-Type', 'Idempotency-Key'] as const
