import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { errorResponse } from '../error-response.ts'
import type { HttpResponse } from '../request.ts'

/** The responses that connections still wait for, in the order of their requests. */
export interface PendingResponses {
  /** @returns false after the last request of a connection: Node still reads, but nothing more is expected there. */
  add(message: IncomingMessage, serverResponse: ServerResponse): boolean
}

/**
 * Responds to what never becomes a request, and ends its connection. Such bytes may follow requests that still wait for
 * their responses. Those go first, or the caller would take this response for one of them.
 */
export const respondToFaults = (server: Server): PendingResponses => {
  const responses = new WeakMap<Duplex, readonly ServerResponse[]>()
  const isOver = (socket: Duplex): boolean => {
    const last = responses.get(socket)?.at(-1)
    return last?.shouldKeepAlive === false && (last.headersSent || last.req.complete)
  }
  /** A request of which the rest will never come gets no response, so none is pending for it. */
  const lastPending = (socket: Duplex): ServerResponse | undefined =>
    responses.get(socket)?.findLast(({ req, closed }) => req.complete && !closed)
  const respondAfterOthers = (socket: Duplex, response: HttpResponse): void => {
    if (isOver(socket)) return
    const earlier = lastPending(socket)
    if (earlier === undefined) respondLast(socket, response, lingerMilliseconds)
    else earlier.once('close', () => respondLast(socket, response, lingerMilliseconds))
  }

  // A caller that takes this for a proxy. Node leaves the connection and its errors to this listener.
  server.on('connect', (_message, socket) => {
    socket.on('error', () => socket.destroy()).resume()
    respondAfterOthers(socket, errorResponse('bad_request', 'This is not a proxy: it has no tunnels.'))
  })
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (error.code !== 'ERR_HTTP_REQUEST_TIMEOUT') respondAfterOthers(socket, describe(error))
    else if (lastPending(socket) !== undefined) socket.destroy()
    else respondLast(socket, errorResponse('bad_request', 'It took too long to arrive. Send it without pauses.'), 0)
  })
  return {
    add: ({ socket }, serverResponse) => {
      if (isOver(socket)) return false
      responses.set(socket, [...(responses.get(socket) ?? []).filter(({ closed }) => !closed), serverResponse])
      return true
    },
  }
}

const describe = ({ code }: NodeJS.ErrnoException): HttpResponse =>
  errorResponse(
    'bad_request',
    code === 'HPE_HEADER_OVERFLOW' ? 'The request line and the headers are too large. Send at most 10 KB.' : '',
  )

/** A connection that is reset at once often loses its last response, where the caller still sends. */
const lingerMilliseconds = 1_000

/** Without lingering, a request that is too late cannot become one after all. */
const respondLast = (socket: Duplex, response: HttpResponse, milliseconds: number): void => {
  // Each further piece of what is no HTTP is reported again.
  if (socket.writableEnded) return
  const end = (): unknown => socket.destroy()
  if (socket.writable)
    socket.end(rawResponse(response), milliseconds === 0 ? end : () => setTimeout(end, milliseconds).unref())
  else end()
}

const rawResponse = ({ status, headers, body }: HttpResponse): string => {
  const all = [...headers, ['Content-Length', Buffer.byteLength(body)], ['Connection', 'close']]
  return [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    ...all.map(([name, value]) => `${name}: ${value}`),
    '',
    body,
  ].join('\r\n')
}
