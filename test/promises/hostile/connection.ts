import { connect, type Socket } from 'node:net'
import type { SeenResponse } from '../../fixtures/check-response.ts'

/** A response with its head as it came, without the last line break. */
export interface RawResponse extends SeenResponse {
  readonly head: string
}

export type Header = readonly [name: string, value: string]

/** A request whose path and headers are sent as they are, each character as one byte. */
export interface RawRequest {
  readonly method: string
  /** What follows the base URL: a path and a query. */
  readonly target: string
  readonly headers: readonly Header[]
  readonly body?: string | Uint8Array
}

/** Sends bytes as they are, and gives the responses that came by the time at which the connection is closed. */
export const sendRaw = async (
  port: number,
  ...parts: readonly (string | Uint8Array)[]
): Promise<readonly RawResponse[]> => {
  const socket = connect(port, '127.0.0.1')
  const received = collect(socket)
  for (const part of parts) socket.write(part)
  await closed(socket)
  return readResponses(received())
}

/** Sends a request to the API on a connection of its own. @throws Error unless it gets one response */
export const send = async (port: number, { method, target, headers, body = '' }: RawRequest): Promise<RawResponse> => {
  const own = [
    ['Host', '127.0.0.1'],
    ['Connection', 'close'],
    ['Content-Length', Buffer.byteLength(body)],
  ] as const
  const lines = [...own, ...headers].map(([name, value]) => `${name}: ${value}`)
  const head = [`${method} /v1${target} HTTP/1.1`, ...lines, '', ''].join('\r\n')
  const [response, ...others] = await sendRaw(port, Buffer.from(head, 'latin1'), body)
  if (response === undefined || others.length > 0) throw new Error(`The request got not one response: ${head}`)
  return response
}

/** Waits for the end of a connection, which may be an error: `once` would throw that. */
export const closed = (socket: Socket): Promise<void> =>
  new Promise((resolve) => {
    socket.once('close', () => resolve())
  })

/** Everything that a connection receives. An error ends the connection and nothing else. */
export const collect = (socket: Socket): (() => Buffer) => {
  const chunks: Buffer[] = []
  socket.on('error', () => {}).on('data', (chunk) => chunks.push(chunk))
  return () => Buffer.concat(chunks)
}

/** @throws Error for anything that is not a response with a length */
export const readResponses = (bytes: Buffer): readonly RawResponse[] => {
  if (bytes.length === 0) return []
  const [head = ''] = bytes.toString('latin1').split('\r\n\r\n', 1)
  const [statusLine = '', ...lines] = head.split('\r\n')
  const headers = new Headers(
    lines.map((line): [string, string] => [line.replace(/:.*/s, ''), line.replace(/^[^:]*: ?/, '')]),
  )
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(statusLine)?.[1])
  // A response of 204 has neither a body nor a length.
  const length = status === 204 ? 0 : Number(headers.get('content-length') ?? Number.NaN)
  if (Number.isNaN(status + length)) throw new Error(`No response begins with ${JSON.stringify(head.slice(0, 200))}.`)
  const [start, end] = [head.length + 4, head.length + 4 + length]
  const text = bytes.subarray(start, end).toString()
  return [{ status, head, headers, text }, ...readResponses(bytes.subarray(end))]
}
