import type { GatewayEvent } from './gateway-event.ts'
import { crossOriginHeaders, rateLimitHeaders } from './response-headers.ts'

/** The headers of every answer: who may read it, and what the authorizer says is left of the limits. */
export const commonHeaders = (event: GatewayEvent): Readonly<Record<string, string>> => {
  const { authorizer } = event.requestContext
  const headers: Record<string, string> = { ...crossOriginHeaders }
  for (const [header, figure] of limitHeaders) headers[header] = authorizer[figure]
  return headers
}

const limitHeaders = Object.entries(rateLimitHeaders)
