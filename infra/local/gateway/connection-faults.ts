import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { badRequest } from './catalogue-answer.ts'
import type { Answer } from './request.ts'

/** The answers that connections owe, in the order of their requests. */
export interface Debts {
  /** @returns false where an earlier request was the last of its connection: Node reads on, and nobody asked. */
  add(message: IncomingMessage, response: ServerResponse): boolean
}

/**
 * Answers what never becomes a request, and ends its connection. Such bytes may follow requests that are
 * still being answered: their answers go first, or the caller would take this one for theirs.
 */
export const answerFaults = (server: Server): Debts => {
  const debts = new WeakMap<Duplex, readonly ServerResponse[]>()
  const isOver = (socket: Duplex): boolean => {
    const last = debts.get(socket)?.at(-1)
    return last?.shouldKeepAlive === false && (last.headersSent || last.req.complete)
  }
  /** The last answer that is owed. To a request of which the rest will never come, none is. */
  const owed = (socket: Duplex): ServerResponse | undefined =>
    debts.get(socket)?.findLast(({ req, closed }) => req.complete && !closed)
  const answerAfterOthers = (socket: Duplex, answer: Answer): void => {
    if (isOver(socket)) return
    const earlier = owed(socket)
    if (earlier === undefined) answerLast(socket, answer, lingerMilliseconds)
    else earlier.once('close', () => answerLast(socket, answer, lingerMilliseconds))
  }

  // A caller that takes this for a proxy. Node leaves the connection to whoever handles this, errors and all.
  server.on('connect', (_message, socket) => {
    socket.on('error', () => socket.destroy()).resume()
    answerAfterOthers(socket, badRequest('This is no proxy: it tunnels nothing.'))
  })
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (error.code !== 'ERR_HTTP_REQUEST_TIMEOUT') answerAfterOthers(socket, describe(error))
    else if (owed(socket) !== undefined) socket.destroy()
    else answerLast(socket, badRequest('It took too long to arrive. Send it without pauses.'), 0)
  })
  return {
    add: ({ socket }, response) => {
      if (isOver(socket)) return false
      debts.set(socket, [...(debts.get(socket) ?? []).filter(({ closed }) => !closed), response])
      return true
    },
  }
}

const describe = ({ code }: NodeJS.ErrnoException): Answer =>
  code === 'HPE_HEADER_OVERFLOW'
    ? badRequest('The request line and the headers are too large. Send at most 10 KB.')
    : badRequest()

/** A connection that is reset at once often takes its last answer with it, where the caller still sends. */
const lingerMilliseconds = 1_000

/** Without lingering, what is refused as too late cannot become a request after all. */
const answerLast = (socket: Duplex, answer: Answer, milliseconds: number): void => {
  // Each further piece of what is no HTTP is reported again.
  if (socket.writableEnded) return
  const end = (): unknown => socket.destroy()
  if (socket.writable)
    socket.end(rawAnswer(answer), milliseconds === 0 ? end : () => setTimeout(end, milliseconds).unref())
  else end()
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
