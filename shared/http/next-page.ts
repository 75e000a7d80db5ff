import type { GatewayEvent } from './gateway-event.ts'
import { readHeaderValues } from './request-headers.ts'
import { readRequestPath } from './request-path.ts'

/**
 * The `Link` header to the next page (RFC 8288): the address of this request with another query.
 */
export const createNextPageHeaders = (
  event: GatewayEvent,
  query: Readonly<Record<string, string | number | undefined>>,
): Readonly<Record<string, string>> => {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) if (value !== undefined) parameters.set(name, String(value))
  return { Link: `<${origin(event)}${readRequestPath(event)}?${parameters}>; rel="next"` }
}

/** Empty where the event has no valid host or scheme, which makes the link relative to the address of the request. */
const origin = (event: GatewayEvent): string => {
  const [host] = readHeaderValues(event.multiValueHeaders, 'Host')
  const [scheme] = readHeaderValues(event.multiValueHeaders, 'X-Forwarded-Proto')
  return host !== undefined && /^[\w.:[\]-]+$/.test(host) && (scheme === 'https' || scheme === 'http')
    ? `${scheme}://${host}`
    : ''
}
