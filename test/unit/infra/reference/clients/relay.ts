import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse, request as send } from 'node:http'
import type { AddressInfo, Server } from 'node:net'
import { onTestFinished } from 'vitest'

/**
 * What happens to a request: it is passed on to the API; it is passed on, but the response is lost; it gets a canned response;
 * or a function writes the response.
 */
export type Fate = 'pass' | 'lose the response' | CannedResponse | ((response: ServerResponse) => void)

interface CannedResponse {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
}

export interface Relay {
  readonly origin: string
  /** The requests that came, the first one first. */
  readonly seen: readonly IncomingMessage[]
}

/** Stands between a client and the API for one test, and decides about each request, the first of which is number 1. */
export const relay = async (target: string, fateOf: (nth: number) => Fate): Promise<Relay> => {
  const seen: IncomingMessage[] = []
  const server = createServer(async (request, response) => {
    const fate = fateOf(seen.push(request))
    if (typeof fate === 'function') fate(response)
    else if (typeof fate === 'object') {
      const { status, headers, body = '' } = fate
      response.writeHead(status, { 'Content-Type': 'application/json', ...headers })
      response.end(typeof body === 'string' ? body : JSON.stringify(body))
    } else {
      const { method, headers, url = '' } = request
      const [passed]: IncomingMessage[] = await once(
        request.pipe(send(new URL(url, target), { method, headers })),
        'response',
      )
      if (fate === 'pass') passed?.pipe(response.writeHead(passed.statusCode ?? 502, passed.headers))
      else passed?.resume().once('end', () => response.destroy())
    }
  })
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { origin: `http://${await listening(server)}`, seen }
}

/** Starts a server on a free port of this machine. @returns its host and port */
export const listening = async (server: Server): Promise<string> => {
  await once(server.listen(0, '127.0.0.1'), 'listening')
  // A server that listens on a port gives its address as an object.
  return `127.0.0.1:${(server.address() as AddressInfo).port}`
}
