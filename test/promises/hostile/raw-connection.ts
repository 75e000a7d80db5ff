import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

export interface RawAnswer {
  readonly status: number
  /** As it came, without its last line break. */
  readonly head: string
  readonly body: string
}

/** Sends bytes as they are, and gives the responses that came by the time at which the connection is closed. */
export const sendRaw = async (
  port: number,
  ...parts: readonly (string | Uint8Array)[]
): Promise<readonly RawAnswer[]> => {
  const socket = connect(port, '127.0.0.1')
  const received = collect(socket)
  for (const part of parts) socket.write(part)
  await once(socket, 'close')
  return readAnswers(received.text())
}

/** Everything that a connection gets. An error of it is no more than its end. */
export const collect = (socket: Socket): { text(): string } => {
  const chunks: Buffer[] = []
  socket.on('error', () => {}).on('data', (chunk) => chunks.push(chunk))
  return { text: () => Buffer.concat(chunks).toString('latin1') }
}

/** @throws Error for anything that is no response with a length. */
export const readAnswers = (text: string): readonly RawAnswer[] => {
  if (text === '') return []
  const [head = ''] = text.split('\r\n\r\n', 1)
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(head)?.[1])
  // A response of 204 has neither a body nor a length.
  const length = status === 204 ? 0 : Number(/^content-length: (\d+)\r?$/im.exec(head)?.[1])
  if (Number.isNaN(status + length)) throw new Error(`No response begins with ${JSON.stringify(text.slice(0, 200))}.`)
  const end = head.length + 4 + length
  return [{ status, head, body: text.slice(head.length + 4, end) }, ...readAnswers(text.slice(end))]
}
