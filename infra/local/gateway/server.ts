import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { inspect } from 'node:util'
import type { Clock } from '../../../shared/clock.ts'
import { handle, type Served } from './gateway.ts'
import { drain, listen } from './listen.ts'
import { receive } from './receive.ts'
import type { HttpResponse } from './request.ts'
import { errorResponse } from './responses.ts'

/** A gateway that listens. */
export interface OpenGateway {
  readonly port: number
  /** Serves this from the next request on; requests that came before the first call wait for it. */
  serve(next: Served): void
  /** Accepts no more requests, and responds to those under way. */
  close(): Promise<void>
}

interface GatewayOptions {
  readonly port: number
  readonly clock: Clock
  readonly writeLine: (line: string) => void
}

/** @throws UserError when the port is not available. */
export const openGateway = async ({ port, clock, writeLine }: GatewayOptions): Promise<OpenGateway> => {
  const first = Promise.withResolvers<Served>()
  let served = first.promise

  const respond = async (message: IncomingMessage, serverResponse: ServerResponse): Promise<void> => {
    try {
      const received = await receive(message, clock)
      if ('requestId' in received) {
        serverResponse.setHeader('x-amzn-RequestId', received.requestId)
        serverResponse.setHeader('x-amz-apigw-id', received.extendedRequestId)
      }
      send(serverResponse, 'status' in received ? received : await handle(await served, received))
    } catch (error) {
      // The caller closed the connection before its body was complete: no fault of the gateway.
      if (message.destroyed && !message.complete) return
      writeLine(`[gateway] ${inspect(error)}`)
      send(serverResponse, errorResponse('internal_error'))
    }
  }

  // What is no request gets Node's own response. A connection stays open longer than clients keep an idle one, so that
  // they end it, not the server under a request.
  const server = createServer({ keepAliveTimeout: 65_000 }, respond)
  return {
    port: await listen(server, port),
    serve: (next) => {
      first.resolve(next)
      served = Promise.resolve(next)
    },
    close: () => drain(server),
  }
}

/** Node adds `Date`, and leaves out the body of a response to HEAD. */
const send = (serverResponse: ServerResponse, { status, headers, body }: HttpResponse): void => {
  serverResponse.statusCode = status
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
