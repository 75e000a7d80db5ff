import { createServer, type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Clock } from '../../../shared/clock.ts'
import { catalogue } from '../../../shared/errors/catalogue.ts'
import type { RestApi } from '../template/rest-api.ts'
import { catalogueAnswer } from './catalogue-answer.ts'
import { type GatewayPorts, handle } from './gateway.ts'
import type { Site } from './outside-stage.ts'
import { receiveHead } from './receive.ts'
import type { Answer } from './request.ts'
import { respond } from './respond.ts'

/** What the server needs to answer; it changes when the template does. */
export interface Served {
  readonly api: RestApi
  readonly ports: GatewayPorts
  readonly site?: Site
}

interface ServerOptions {
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
    // Without a host Node would answer by itself, with nothing but a status.
    { maxHeaderSize: longestHeaders, keepAliveTimeout: keepAliveMilliseconds, requireHostHeader: false },
    (message, response) => void answerRequest(message, response, options),
  )
  server.on('checkExpectation', (message, response) =>
    refuseRequest(message, response, options, 'Leave the header Expect out, or send 100-continue.'),
  )
  server.on('connect', answerConnect)
  server.on('clientError', answerGarbage)
  return server
}

const answerRequest = async (
  message: IncomingMessage,
  response: ServerResponse,
  { served, clock, reportFault }: ServerOptions,
): Promise<void> => {
  if (message.headers.host === undefined && message.httpVersion === '1.1') {
    refuseRequest(message, response, { clock }, 'Send the header Host.')
    return
  }
  // Node reads nothing on after a request for another protocol, which is answered as if it asked for none.
  if (message.headers.upgrade !== undefined) response.shouldKeepAlive = false
  const head = receiveHead(message, clock)
  try {
    const { api, ports, site } = await served()
    respond(response, head, await handle(api, head, message, ports, site))
  } catch (error) {
    // A caller that went away in the middle of its body is no fault of the gateway.
    if (message.destroyed && !message.complete) return
    reportFault(error)
    respond(response, head, catalogueAnswer('internal_error'))
  }
}

/** Answers what HTTP itself does not allow. Its body may be anything, so the connection ends here. */
const refuseRequest = (
  message: IncomingMessage,
  response: ServerResponse,
  { clock }: Pick<ServerOptions, 'clock'>,
  advice: string,
): void => {
  response.shouldKeepAlive = false
  respond(response, receiveHead(message, clock), badRequest(advice))
}

const badRequest = (advice: string): Answer =>
  catalogueAnswer('bad_request', `${catalogue.bad_request.message} ${advice}`)

/** A caller that takes this for a proxy. Node leaves the connection to whoever handles this, errors and all. */
const answerConnect = (_message: IncomingMessage, socket: Duplex): void => {
  socket.on('error', () => socket.destroy())
  // Its side may stay open for ever.
  socket.resume().end(rawAnswer(badRequest('This is no proxy: it tunnels nothing.')), () => socket.destroy())
}

/** What is no HTTP at all never becomes a request; the connection is answered and closed. */
const answerGarbage = (error: NodeJS.ErrnoException, socket: Duplex): void => {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const answer =
    error.code === 'HPE_HEADER_OVERFLOW'
      ? catalogueAnswer('bad_request', 'The request line and the headers are too large. Send at most 10 KB.')
      : catalogueAnswer('bad_request')
  socket.end(rawAnswer(answer))
}

const rawAnswer = ({ status, headers, body }: Answer): string => {
  const all = [...headers, ['Content-Length', Buffer.byteLength(body)], ['Connection', 'close']]
  return [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    ...all.map(([name, value]) => `${name}: ${value}`),
    '',
    body,
  ].join('\r\n')
}
