import type { GatewayEvent } from './gateway-event.ts'

/**
 * Undoes the percent-encoding of a path or of a path parameter, once. API Gateway hands both on as sent (recorded on
 * AWS), so there this gives exactly what the caller means. Other gateways, emulators among them, decode them first,
 * and the event does not tell so.
 *
 * Behind such a gateway this decodes a second time, which changes only a text that still has a percent sign. No path
 * and no identifier of this API has one, so the response is the same, but for a path that the caller encoded twice:
 * there it is read as what it spells, and would be 404 on AWS. That opens nothing: the operation has been chosen
 * before, and a key may call every operation for every identifier.
 *
 * @returns the text as it is where a `%` does not begin a UTF-8 character: such a text identifies nothing
 */
export const decodePath = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/**
 * The path of the address that the caller used, be it a stage's or below a custom domain's base path. API Gateway
 * serves a path that begins with several slashes; in a link those would begin the name of a host.
 */
export const requestPath = ({ requestContext }: GatewayEvent): string => requestContext.path.replace(/^\/+/, '/')

/** What stands before the operation's own path, without a slash at its end: the stage, or a custom domain's base path. */
export const basePath = (event: GatewayEvent): string => {
  const own = event.resource.replace(/\{(\w+)\}/g, (_braces, name: string) => event.pathParameters?.[name] ?? '')
  const path = withoutSlashAtEnd(decodePath(requestPath(event)))
  const ownPath = withoutSlashAtEnd(decodePath(own))
  return path.endsWith(ownPath) ? withoutSlashAtEnd(path.slice(0, path.length - ownPath.length)) : ''
}

/** API Gateway takes /pets/5/ for /pets/5. The look behind keeps the time linear where many slashes are not at the end. */
const withoutSlashAtEnd = (text: string): string => text.replace(/(?<!\/)\/+$/, '')
