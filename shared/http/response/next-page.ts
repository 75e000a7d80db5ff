import type { GatewayEvent } from '../gateway-event.ts'
import { readHeaderValues } from '../request/request-headers.ts'
import { readRequestPath } from '../request/request-path.ts'

/**
 * Creates the `Link` header to the next page (RFC 8288): the address of this request with another query. Parameters
 * that are `undefined` are left out.
 *
 * @example { Link: '<https://api.example.com/v1/pets?limit=20&cursor=YmVmb3JlOjQ4>; rel="next"' }
 */
export const createNextPageHeaders = (
  event: GatewayEvent,
  query: Readonly<Record<string, string | bigint | undefined>>,
): Readonly<Record<string, string>> => {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) parameters.set(name, String(value))
  }
  return { Link: `<${readOrigin(event)}${readRequestPath(event)}?${parameters}>; rel="next"` }
}

/** Origin of the request; empty if the event has no valid host or scheme. The link is then relative to the request. */
const readOrigin = (event: GatewayEvent): string => {
  const [host] = readHeaderValues(event.multiValueHeaders, 'Host')
  const [scheme] = readHeaderValues(event.multiValueHeaders, 'X-Forwarded-Proto')
  // A name, or an address of IPv4 or IPv6, and perhaps a port: no character that could end the `<...>` of the link.
  const isValidHost = host !== undefined && /^[\w.:[\]-]+$/.test(host)
  const isValidScheme = scheme === 'https' || scheme === 'http'
  return isValidHost && isValidScheme ? `${scheme}://${host}` : ''
}
