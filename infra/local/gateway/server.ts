import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Clock } from '../../../shared/clock.ts'
import type { RestApi } from '../template/rest-api.ts'
import { badRequest, catalogueAnswer } from './catalogue-answer.ts'
import { answerFaults } from './connection-faults.ts'
import { type GatewayPorts, handle } from './gateway.ts'
import type { Site } from './outside-stage.ts'
import { receiveHead } from './receive.ts'
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
  readonly patience?: Patience
}

/** How long a caller may keep a connection, in milliseconds. */
export interface Patience {
  /** Until all headers have arrived. */
  readonly headers: number
  /** Until the whole request has arrived; not less than `headers`. */
  readonly request: number
  /** Without a byte in either direction: between two requests, or while it reads nothing of its answer. */
  readonly silence: number
  /** How often the first two are looked at. */
  readonly check: number
}

const patienceOfServer: Patience = {
  headers: 20_000,
  request: 60_000,
  // Longer than clients keep an idle connection, so that they end it, not the server under a request; and
  // longer than any function runs.
  silence: 65_000,
  check: 5_000,
}

/** "Amazon API Gateway quotas": all headers together. */
const longestHeaders = 10_240

/** The HTTP side of the gateway. It listens on nothing yet. */
export const createGatewayServer = (options: ServerOptions): Server => {
  const { patience = patienceOfServer } = options
  const server = createServer({
    maxHeaderSize: longestHeaders,
    headersTimeout: patience.headers,
    requestTimeout: patience.request,
    keepAliveTimeout: patience.silence,
    connectionsCheckingInterval: patience.check,
    // Without a host Node would answer by itself, with nothing but a status.
    requireHostHeader: false,
  })
  const debts = answerFaults(server)
  server.on('request', (message, response) => {
    if (debts.add(message, response)) void answerRequest(message, response, options)
  })
  server.on('checkExpectation', (message, response) => {
    if (debts.add(message, response))
      refuseRequest(message, response, options, 'Leave the header Expect out, or send 100-continue.')
  })
  server.setTimeout(patience.silence)
  return server
}

const answerRequest = async (
  message: IncomingMessage,
  response: ServerResponse,
  { served, clock, reportFault }: ServerOptions,
): Promise<void> => {
  const advice = adviceOnFraming(message)
  if (advice !== undefined) {
    refuseRequest(message, response, { clock }, advice)
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

/** What to change in a request that HTTP forbids and Node lets pass: another server might read it as another one. */
const adviceOnFraming = ({ httpVersion, headersDistinct }: IncomingMessage): string | undefined => {
  const { host = [], 'transfer-encoding': codings = [] } = headersDistinct
  if (httpVersion === '1.1' && host.length === 0) return 'Send the header Host.'
  if (host.length > 1) return 'Send the header Host once.'
  const isChunked = httpVersion === '1.1' && codings.join().toLowerCase() === 'chunked'
  return codings.length > 0 && !isChunked ? 'Send no Transfer-Encoding but chunked, and that by HTTP/1.1.' : undefined
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
