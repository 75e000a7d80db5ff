import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse, request as send } from 'node:http'
import type { Server as NetServer } from 'node:net'
import { onTestFinished } from 'vitest'

/**
 * What happens to a request: it is passed on to the API; it is passed on, but the response is lost; it gets a
 * canned response; or a function writes the response, or decides.
 */
export type Fate = 'pass' | 'lose the response' | CannedResponse | FateFunction

type FateFunction = (response: ServerResponse) => Fate | undefined | Promise<Fate | undefined>

interface CannedResponse {
  readonly status: number
  readonly headers?: Readonly<Record<string, string | readonly string[]>>
  readonly body?: unknown
}

export interface Relay {
  readonly origin: string
  /** The base URL of the API as seen through the relay. */
  readonly baseUrl: string
  /** The requests that came, the first one first. */
  readonly seen: readonly IncomingMessage[]
  /** What the API answered to those that were passed on. */
  readonly answered: readonly IncomingMessage[]
}

/** Stands between a client and the API for one test, and decides about each request, the first of which is number 1. */
export const relay = async (target: string, fateOf: (nth: number) => Fate): Promise<Relay> => {
  const seen: IncomingMessage[] = []
  const answered: IncomingMessage[] = []
  const give = async (fate: Fate, request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (typeof fate === 'function') {
      const decided = await fate(response)
      if (decided !== undefined) await give(decided, request, response)
    } else if (typeof fate === 'object') {
      const { status, headers = {}, body = '' } = fate
      response.writeHead(status, { 'Content-Type': 'application/json', ...headers } as Record<
        string,
        string | string[]
      >)
      response.end(typeof body === 'string' ? body : JSON.stringify(body))
    } else {
      const passed = await passOn(new URL(target), request)
      answered.push(passed)
      if (fate === 'pass') passed.pipe(response.writeHead(passed.statusCode ?? 502, passed.headers))
      else passed.resume().once('end', () => response.destroy())
    }
  }
  const server = createServer((request, response) => give(fateOf(seen.push(request)), request, response))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const origin = `http://127.0.0.1:${await portOf(server)}`
  return { origin, baseUrl: `${origin}/v1`, seen, answered }
}

/** Starts a server on a free port of this machine. */
export const portOf = async (server: NetServer): Promise<number> => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (typeof address !== 'object' || address === null) throw new Error('The server has no port.')
  return address.port
}

const passOn = ({ hostname, port }: URL, request: IncomingMessage): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    const { method, headers, url } = request
    request.pipe(send({ hostname, port, method, headers, path: url }, resolve).once('error', reject))
  })
