import { once } from 'node:events'
import type { Server as HttpServer } from 'node:http'
import type { Server } from 'node:net'
import { UserError } from '../../command-line/user-error.ts'

const refusals: Readonly<Record<string, string>> = {
  EADDRINUSE: 'is taken. Choose another with --port, or stop the program that uses it.',
  EACCES: 'needs a permission that you do not have. Choose one above 1023 with --port.',
}

/** @returns the port, which is a free one for port 0. @throws UserError when the port is not available. */
export const listen = async (server: Server, port: number, host = '127.0.0.1'): Promise<number> => {
  try {
    await once(server.listen(port, host), 'listening')
  } catch (error) {
    const refusal = error instanceof Error && 'code' in error ? refusals[String(error.code)] : undefined
    throw refusal === undefined ? error : new UserError(`Port ${port} ${refusal}`)
  }
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('A TCP server has a port.')
  return address.port
}

const drainMilliseconds = 2_500

/** Accepts no more connections, and gives requests that are under way some time to complete. */
export const drain = async (server: HttpServer): Promise<void> => {
  if (!server.listening) return
  const closed = once(server, 'close')
  server.close()
  // A connection that was busy at first is idle after its response, but stays open by itself.
  const idle = setInterval(() => server.closeIdleConnections(), 20)
  const late = setTimeout(() => server.closeAllConnections(), drainMilliseconds)
  await closed
  clearInterval(idle)
  clearTimeout(late)
}
