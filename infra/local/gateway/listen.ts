import { once } from 'node:events'
import type { Server as HttpServer } from 'node:http'
import type { Server } from 'node:net'
import { UserError } from '../../command-line/user-error.ts'

/** @returns the port, which is a free one for port 0. @throws UserError when the port is not available. */
export const listen = async (server: Server, port: number, host = '127.0.0.1'): Promise<number> => {
  try {
    server.listen(port, host)
    await once(server, 'listening')
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code === 'EADDRINUSE') {
      throw new UserError(`Port ${port} is taken. Choose another with --port, or stop the program that uses it.`)
    }
    if (code === 'EACCES') {
      throw new UserError(`You have no permission to use port ${port}. Choose one above 1023 with --port.`)
    }
    throw error
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
