import { randomBytes, randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { inspect } from 'node:util'
import { createGateway, type ServedApi } from './gateway.ts'
import { drain, listen } from './listen.ts'
import { errorResponse, type HttpResponse, type ReceivedRequest } from './request.ts'

export type OpenGateway = Awaited<ReturnType<typeof openGateway>>

/**
 * Listens. Requests that come before the gateway serves anything wait for it.
 *
 * @param writeLine takes what goes wrong
 * @throws UserError when the port is not available
 */
export const openGateway = async (port: number, writeLine: (line: string) => void) => {
  const first = Promise.withResolvers<ReturnType<typeof createGateway>>()
  let handle = first.promise

  // What is no request gets Node's own response. A connection stays open longer than clients keep an idle one, so that
  // they end it, not the server under a request.
  const server = createServer({ keepAliveTimeout: 65_000 }, async (message, response) => {
    const ids = { 'x-amzn-RequestId': randomUUID(), 'x-amz-apigw-id': `${randomBytes(11).toString('base64url')}=` }
    /** Node adds `Date`, and leaves out the body of a response to HEAD. */
    const send = ({ status, headers, body }: HttpResponse): void => {
      const length = status === 204 ? [] : [['Content-Length', String(Buffer.byteLength(body))]]
      response.writeHead(status, [...Object.entries(ids), ...headers, ...length].flat()).end(body)
    }
    try {
      const received = await receive(message, ids['x-amzn-RequestId'])
      send(await (await handle)(received))
    } catch (error) {
      // The caller closed the connection before its body was complete: no fault of the gateway.
      if (message.destroyed && !message.complete) return
      writeLine(`[gateway] ${inspect(error)}`)
      send(errorResponse('internal_error'))
    }
  })
  return {
    port: await listen(server, port),
    /** Serves this from the next request on. */
    serve: (next: ServedApi): void => {
      const gateway = createGateway(next)
      first.resolve(gateway)
      handle = Promise.resolve(gateway)
    },
    /** Accepts no more requests, and responds to those under way. */
    close: () => drain(server),
  }
}

const receive = async (message: IncomingMessage, requestId: string): Promise<ReceivedRequest> => {
  // A client that takes this for a proxy names the origin too.
  const target = (message.url ?? '').replace(/^https?:\/\/[^/?]*/i, '')
  const [rawPath = '', ...query] = target.split('?')
  return {
    ...{ requestId, rawPath },
    httpMethod: message.method ?? 'GET',
    rawQuery: query.join('?'),
    headers: message.headersDistinct,
    sourceIp: message.socket.remoteAddress ?? '127.0.0.1',
    body: (await buffer(message)).toString(),
  }
}
