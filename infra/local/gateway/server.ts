import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Clock } from '../../../shared/clock.ts'
import type { RestApi } from '../template/rest-api.ts'
import { errorAnswer } from './error-answer.ts'
import { type GatewayPorts, handle } from './gateway.ts'
import { receiveHead } from './receive.ts'
import type { Answer } from './request.ts'
import { respond } from './respond.ts'

/** What the server needs to answer; it changes when the template does. */
export interface Served {
  readonly api: RestApi
  readonly ports: GatewayPorts
}

export interface ServerOptions {
  /** Asked for every request; a request that comes before it settles waits. */
  readonly served: () => Promise<Served>
  readonly clock: Clock
  /** Gets what went wrong in the gateway itself. */
  readonly reportFault: (error: unknown) => void
}

/** "Amazon API Gateway quotas": all headers together. */
const longestHeaders = 10_240

/** Longer than clients keep an idle connection, so that they end it, not the server under a request. */
const keepAliveMilliseconds = 65_000

/** The HTTP side of the gateway. It listens on nothing yet. */
export const createGatewayServer = (options: ServerOptions): Server => {
  const server = createServer(
    { maxHeaderSize: longestHeaders, keepAliveTimeout: keepAliveMilliseconds },
    (message, response) => void answerRequest(message, response, options),
  )
  server.on('clientError', answerGarbage)
  return server
}

const answerRequest = async (
  message: IncomingMessage,
  response: ServerResponse,
  { served, clock, reportFault }: ServerOptions,
): Promise<void> => {
  const head = receiveHead(message, clock)
  try {
    const { api, ports } = await served()
    respond(response, head, await handle(api, head, message, ports))
  } catch (error) {
    // A caller that went away in the middle of its body is no fault of the gateway.
    if (message.destroyed && !message.complete) return
    reportFault(error)
    respond(response, head, errorAnswer('internal_error'))
  }
}

/** What is no HTTP at all never becomes a request; the connection is answered and closed. */
const answerGarbage = (error: NodeJS.ErrnoException, socket: Duplex): void => {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const answer =
    error.code === 'HPE_HEADER_OVERFLOW'
      ? errorAnswer('bad_request', 'The request line and the headers are too large. Send at most 10 KB.')
      : errorAnswer('bad_request')
  socket.end(rawAnswer(answer))
}

const rawAnswer = ({ status, headers, body }: Answer): string => {
  const all = [...headers, ['Content-Length', Buffer.byteLength(body)], ['Connection', 'close']]
  return [`HTTP/1.1 ${status} Bad Request`, ...all.map(([name, value]) => `${name}: ${value}`), '', body].join('\r\n')
}
