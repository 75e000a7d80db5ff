import type { GatewayEvent } from '../gateway-event.ts'

/**
 * Decodes the percent-encoding of a path or of a path parameter, once. API Gateway passes both as sent (recorded on
 * AWS), so the result is exact there. Other gateways and emulators decode them first, and the event does not show that
 * they did.
 *
 * Behind such a gateway the text is decoded twice. This matters only for a path that the caller encoded twice: it is
 * 404 on AWS, but is found behind that gateway. The difference is harmless: the gateway has already chosen the
 * operation, and an operation accepts every id from every key.
 *
 * @returns the text unchanged if a `%` does not begin a UTF-8 character: such a text identifies nothing
 */
export const decodePath = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/**
 * Reads the path that the caller used, including the stage or the base path of a custom domain. API Gateway accepts a
 * path with several slashes at its beginning. They become one slash, because in a link `//` begins the name of a host.
 */
export const readRequestPath = ({ requestContext }: GatewayEvent): string => requestContext.path.replace(/^\/+/, '/')

/**
 * Reads the part of the request's path that precedes the path of the operation, without a slash at its end: the stage,
 * or the base path of a custom domain.
 *
 * @example '/v1' // for the request /v1/pets/5 and the resource /pets/{petId}
 */
export const readBasePath = ({ resource, requestContext }: GatewayEvent): string => {
  const requestSegments = splitPath(requestContext.path)
  const operationSegments = splitPath(resource)
  const baseSegments = requestSegments.slice(0, requestSegments.length - operationSegments.length)
  return baseSegments.map((segment) => `/${segment}`).join('')
}

/** Splits a path into its segments. Like API Gateway, ignores repeated slashes and slashes at the end. */
const splitPath = (path: string): readonly string[] => path.split('/').filter((segment) => segment !== '')
