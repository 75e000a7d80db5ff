import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Clock } from '../../../../shared/clock.ts'
import { errorResponse } from '../error-response.ts'
import { handle, type Served } from '../gateway.ts'
import { receiveHead } from '../receive.ts'
import type { HttpResponse, RequestHead } from '../request.ts'
import { respondToFaults } from './connection-faults.ts'

interface ServerOptions {
  /** Called for every request. A request that comes before it settles waits. */
  readonly served: () => Promise<Served>
  readonly clock: Clock
  /** Takes what went wrong in the gateway itself. */
  readonly reportFault: (error: unknown) => void
  readonly timeouts?: ConnectionTimeouts
}

/** How long a caller may keep a connection, in milliseconds. */
export interface ConnectionTimeouts {
  /** Until all headers have arrived. */
  readonly headers: number
  /** Until the whole request has arrived; at least `headers`. */
  readonly request: number
  /** Without a byte in either direction: between two requests, or while the caller reads nothing of its response. */
  readonly silence: number
  /** How often the first two are checked. */
  readonly check: number
}

const defaultTimeouts: ConnectionTimeouts = {
  headers: 20_000,
  request: 60_000,
  // Longer than clients keep an idle connection, so that they end it, not the server under a request; and
  // longer than any function runs.
  silence: 65_000,
  check: 5_000,
}

/** "Amazon API Gateway quotas": all headers together. */
const maximumHeaderBytes = 10_240

/** The HTTP side of the gateway. It does not listen yet. */
export const createGatewayServer = (options: ServerOptions): Server => {
  const { timeouts = defaultTimeouts } = options
  const server = createServer({
    maxHeaderSize: maximumHeaderBytes,
    headersTimeout: timeouts.headers,
    requestTimeout: timeouts.request,
    keepAliveTimeout: timeouts.silence,
    connectionsCheckingInterval: timeouts.check,
    // Otherwise Node responds to a request without a host by itself, with nothing but a status.
    requireHostHeader: false,
  })
  const pendingResponses = respondToFaults(server)
  server.on('request', (message, serverResponse) => {
    if (pendingResponses.add(message, serverResponse)) void respond(message, serverResponse, options)
  })
  server.on('checkExpectation', (message, serverResponse) => {
    if (!pendingResponses.add(message, serverResponse)) return
    const head = receiveHead(message, options.clock)
    respondBadRequest(serverResponse, head, 'Leave the header Expect out, or send 100-continue.')
  })
  server.setTimeout(timeouts.silence)
  return server
}

const respond = async (
  message: IncomingMessage,
  serverResponse: ServerResponse,
  { served, clock, reportFault }: ServerOptions,
): Promise<void> => {
  const head = receiveHead(message, clock)
  const advice = adviceOnFraming(message)
  if (advice !== undefined) {
    respondBadRequest(serverResponse, head, advice)
    return
  }
  // Node reads nothing after a request for another protocol. The response is the same as if it asked for none.
  if (message.headers.upgrade !== undefined) serverResponse.shouldKeepAlive = false
  try {
    send(serverResponse, head, await handle(await served(), head, message))
  } catch (error) {
    // The caller closed the connection before its body was complete: no fault of the gateway.
    if (message.destroyed && !message.complete) return
    reportFault(error)
    send(serverResponse, head, errorResponse('internal_error'))
  }
}

/** What to change in a request that HTTP forbids and Node accepts: another server might read it differently. */
const adviceOnFraming = ({ httpVersion, headersDistinct }: IncomingMessage): string | undefined => {
  const { host = [], 'transfer-encoding': codings = [] } = headersDistinct
  if (httpVersion === '1.1' && host.length === 0) return 'Send the header Host.'
  if (host.length > 1) return 'Send the header Host once.'
  const isChunked = httpVersion === '1.1' && codings.join().toLowerCase() === 'chunked'
  return codings.length > 0 && !isChunked ? 'Send no Transfer-Encoding but chunked, and that by HTTP/1.1.' : undefined
}

/** The response to what HTTP itself does not allow. Its body may be anything, so the connection ends here. */
const respondBadRequest = (serverResponse: ServerResponse, head: RequestHead, advice: string): void => {
  serverResponse.shouldKeepAlive = false
  send(serverResponse, head, errorResponse('bad_request', advice))
}

/** Node adds `Date`, and leaves out the body of a response to HEAD. */
const send = (serverResponse: ServerResponse, head: RequestHead, { status, headers, body }: HttpResponse): void => {
  // The connection is closed.
  if (serverResponse.destroyed || serverResponse.headersSent) return
  serverResponse.statusCode = status
  serverResponse.setHeader('x-amzn-RequestId', head.requestId)
  serverResponse.setHeader('x-amz-apigw-id', head.extendedRequestId)
  for (const [name, value] of headers) serverResponse.appendHeader(name, value)
  if (!serverResponse.hasHeader('Content-Type')) serverResponse.setHeader('Content-Type', 'application/json')
  // Neither may have a body, nor the length of one.
  if (status === 204 || status === 304) {
    serverResponse.end()
    return
  }
  serverResponse.setHeader('Content-Length', Buffer.byteLength(body))
  serverResponse.end(body)
}
