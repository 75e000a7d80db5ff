/**
 * The HTTP server of the local gateway.
 *
 * Unlike API Gateway it speaks `http` and has a port in its host name. Node itself responds to malformed requests, such
 * as oversized headers or a missing `Host`.
 */
import { randomBytes, randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import { inspect } from 'node:util'
import { UserError } from '../../command-line/user-error.ts'
import { createGateway, type ServedApi } from './gateway.ts'
import { drain, listen } from './listen.ts'
import { createErrorResponse, type HttpResponse, type ReceivedRequest } from './request.ts'

/**
 * Time after which the server closes an idle connection. Clients close theirs earlier, so the server never closes one
 * on which a new request is under way.
 */
const keepAliveMilliseconds = 65_000

/**
 * Starts the server. Requests wait until `serve` is called for the first time.
 *
 * @param writeLine writes a problem
 * @throws UserError when the port is not available
 */
export const openGateway = async (port: number, writeLine: (line: string) => void) => {
  const firstGateway = Promise.withResolvers<ReturnType<typeof createGateway>>()
  let currentGateway = firstGateway.promise

  const server = createServer({ keepAliveTimeout: keepAliveMilliseconds }, async (message, response) => {
    // The extended id ends with an equals sign, as API Gateway's does.
    const ids = { requestId: randomUUID(), extendedRequestId: `${randomBytes(11).toString('base64url')}=` }

    /** Sends a response. Node adds `Date`, and omits the body of a response to HEAD. */
    const send = ({ status, headers, body }: HttpResponse): void => {
      const allHeaders = [['x-amzn-RequestId', ids.requestId], ['x-amz-apigw-id', ids.extendedRequestId], ...headers]
      if (status !== 204) allHeaders.push(['Content-Length', String(Buffer.byteLength(body))])
      response.writeHead(status, allHeaders.flat()).end(body)
    }

    try {
      const received = receive(message, ids)
      const respond = await currentGateway
      send(await respond(received))
    } catch (error) {
      // No one is left to respond to, and the end of a caller's connection is no error of the service.
      if (error instanceof ClosedByCallerError) return
      writeLine(`[gateway] ${error instanceof UserError ? error.message : inspect(error)}`)
      send(createErrorResponse('internal_error'))
    }
  })

  return {
    port: await listen(server, port),
    /** Serves an API from the next request on. */
    serve: (api: ServedApi): void => {
      const gateway = createGateway(api)
      firstGateway.resolve(gateway)
      currentGateway = Promise.resolve(gateway)
    },
    /** Accepts no more requests, and responds to those under way. */
    close: () => drain(server),
  }
}

type RequestIds = Pick<ReceivedRequest, 'requestId' | 'extendedRequestId'>

const receive = (message: IncomingMessage, ids: RequestIds): ReceivedRequest => {
  // A client that uses this server as a proxy sends a whole URL.
  const target = (message.url ?? '').replace(/^https?:\/\/[^/?]*/i, '')
  const [rawPath = '', ...query] = target.split('?')
  return {
    ...ids,
    httpMethod: message.method ?? 'GET',
    rawPath,
    rawQuery: query.join('?'),
    headers: message.headersDistinct,
    sourceIp: message.socket.remoteAddress ?? '127.0.0.1',
    readBody: () => readBody(message),
  }
}

/** The longest body that API Gateway accepts ("Quotas for configuring and running a REST API"). */
const longestBodyBytes = 10 * 1024 * 1024

/** The caller's connection ended before the body was read: the caller closed it, or sent what is not HTTP. */
class ClosedByCallerError extends Error {}

/**
 * Reads a body to its end, so that the connection is ready for the next request. The result for a body that is too long
 * is undefined, and its rest is not kept.
 *
 * @throws ClosedByCallerError also for a body that has arrived whole, if the connection ended before it was read
 */
const readBody = async (message: IncomingMessage): Promise<string | undefined> => {
  const chunks: Buffer[] = []
  let length = 0
  try {
    for await (const chunk of message) {
      length += chunk.length
      if (length <= longestBodyBytes) chunks.push(chunk)
    }
  } catch (cause) {
    // A request's stream has no other errors than those of its connection.
    throw new ClosedByCallerError('The caller closed the connection.', { cause })
  }
  return length <= longestBodyBytes ? Buffer.concat(chunks).toString() : undefined
}
