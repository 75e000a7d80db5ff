import { once } from 'node:events'
import { Agent, type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'
import type { SeenResponse } from '../../fixtures/check-response.ts'
import type { HostileRequest } from './hostile-request.ts'

export interface Sender {
  send(message: Omit<HostileRequest, 'kind'>): Promise<SeenResponse>
  close(): void
}

/** Sends requests over connections that are kept, with paths and headers just as they are given. */
export const createSender = (baseUrl: string, connections: number): Sender => {
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  const { hostname, port, pathname } = new URL(baseUrl)
  return {
    send: async ({ method, target, headers, body = '' }) => {
      const framing = ['Host', `${hostname}:${port}`, 'Content-Length', String(Buffer.byteLength(body))]
      const sent = request({
        agent,
        hostname,
        port,
        method,
        path: pathname + target,
        headers: [...framing, ...headers.flat()],
      })
      sent.end(body)
      // Node gives a response as the event's only argument.
      const [response]: IncomingMessage[] = await once(sent, 'response')
      if (response === undefined) throw new Error('A response event has a response.')
      return { status: response.statusCode ?? 0, headers: seenHeaders(response), text: await text(response) }
    },
    close: () => agent.destroy(),
  }
}

const seenHeaders = ({ headersDistinct }: IncomingMessage): Headers =>
  new Headers(
    Object.entries(headersDistinct).flatMap(([name, values = []]) =>
      values.map((value): [string, string] => [name, value]),
    ),
  )
