import type { GatewayEvent } from './gateway-event.ts'

/**
 * Undoes the percent-encoding of a path or of a path parameter, once. API Gateway passes both as sent (recorded on
 * AWS), so there the result is exact. Other gateways and emulators decode them first, and the event does not show it.
 *
 * Behind such a gateway the text is decoded twice, which changes only a text with a percent sign. No path and no
 * identifier of this API has one. So only a path that the caller encoded twice differs: it is 404 on AWS, and found
 * there. This gives no further access: the operation is already chosen, and a key may call every operation for every
 * identifier.
 *
 * @returns the text unchanged where a `%` does not begin a UTF-8 character: such a text identifies nothing
 */
export const decodePath = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/**
 * The path of the address that the caller used: below a stage, or below the base path of a custom domain. API Gateway
 * accepts a path with several slashes at its beginning; in a link they would begin the name of a host.
 */
export const readRequestPath = ({ requestContext }: GatewayEvent): string => requestContext.path.replace(/^\/+/, '/')

/** The path before that of the operation, without a slash at its end: the stage, or the base path of a custom domain. */
export const readBasePath = ({ resource, requestContext }: GatewayEvent): string => {
  const before = segmentsOf(requestContext.path).slice(0, -segmentsOf(resource).length)
  return before.map((segment) => `/${segment}`).join('')
}

/** API Gateway takes several slashes as one, and none at the end of a path. */
const segmentsOf = (path: string): readonly string[] => path.split('/').filter((segment) => segment !== '')
