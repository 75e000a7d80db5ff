import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse, request as send } from 'node:http'
import { onTestFinished } from 'vitest'

/** What becomes of a request: passed on, passed on but its answer lost, or answered on the way. */
export type Fate = 'pass' | 'lose the answer' | CannedAnswer

interface CannedAnswer {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body: unknown
}

export interface Relay {
  /** The base URL of the API as seen through the relay. */
  readonly baseUrl: string
  /** The requests that came, the first one first. */
  readonly seen: readonly IncomingMessage[]
  /** What the API answered to those that were passed on. */
  readonly answered: readonly IncomingMessage[]
}

/** Stands between a client and the API for one test, and decides about each request, the first of which is number 1. */
export const relay = async (target: string, fateOf: (nth: number) => Fate | Promise<Fate>): Promise<Relay> => {
  const seen: IncomingMessage[] = []
  const answered: IncomingMessage[] = []
  const server = createServer(async (request, response) => {
    seen.push(request)
    const fate = await fateOf(seen.length)
    if (typeof fate === 'object') give(response, fate)
    else {
      const answer = await passOn(new URL(target), request)
      answered.push(answer)
      if (fate === 'pass') answer.pipe(response.writeHead(answer.statusCode ?? 502, answer.headers))
      else answer.resume().once('end', () => response.destroy())
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const address = server.address()
  if (typeof address !== 'object' || address === null) throw new Error('The relay has no port.')
  return { baseUrl: `http://127.0.0.1:${address.port}/v1`, seen, answered }
}

const give = (response: ServerResponse, { status, headers = {}, body }: CannedAnswer): void => {
  response.writeHead(status, { 'Content-Type': 'application/json', ...headers }).end(JSON.stringify(body))
}

const passOn = ({ hostname, port }: URL, request: IncomingMessage): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    const { method, headers, url } = request
    request.pipe(send({ hostname, port, method, headers, path: url }, resolve).once('error', reject))
  })
