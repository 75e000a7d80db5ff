import type { IncomingMessage, RequestListener, Server } from 'node:http'

/**
 * Makes a server refuse what a web page sends, before its own listener sees it: a request with the header Origin, which
 * includes every preflight, and a request for a host other than this machine. A page can make its host name resolve
 * to 127.0.0.1 (DNS rebinding). Its requests are then of the same origin, for which browsers may send no Origin.
 */
export const refuseWebPages = (server: Server): void => {
  // Every listener of this event is one.
  const listeners = server.listeners('request') as RequestListener[]
  server.removeAllListeners('request').on('request', (request, response) => {
    if (isOfThisMachine(request)) {
      for (const listener of listeners) listener(request, response)
      return
    }
    response.writeHead(403, { 'Content-Type': 'application/x-amz-json-1.0' }).end(accessDenied)
  })
}

const isOfThisMachine = ({ headers: { origin, host = '' } }: IncomingMessage): boolean =>
  origin === undefined && /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/i.test(host)

const accessDenied = JSON.stringify({
  __type: 'AccessDeniedException',
  message: 'The local database accepts no requests from web pages. Send no header Origin, and the Host 127.0.0.1.',
})
