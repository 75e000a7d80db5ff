import type { GatewayEvent } from './gateway-event.ts'
import { crossOriginHeaders, rateLimitHeaders } from './response-headers.ts'

/** The headers of every answer: who may read it, and what the authorizer says is left of the limits. */
export const commonHeaders = (event: GatewayEvent): Readonly<Record<string, string>> => {
  const { authorizer } = event.requestContext
  return {
    ...crossOriginHeaders,
    ...Object.fromEntries(Object.entries(rateLimitHeaders).map(([header, figure]) => [header, authorizer[figure]])),
  }
}
