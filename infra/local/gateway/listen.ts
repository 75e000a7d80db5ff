import { once } from 'node:events'
import type { Server as HttpServer } from 'node:http'
import type { Server } from 'node:net'
import { UserError } from '../../command-line/user-error.ts'

/** Messages about a port, which follow `Port 3000`, by the code of Node's error. */
const portProblems: Readonly<Record<string, string>> = {
  EADDRINUSE: 'is taken. Choose another with --port, or stop the program that uses it.',
  // A low port on Linux, or one that Windows or a policy of the system reserves.
  EACCES: 'is closed to you by the operating system. Choose another with --port.',
}

/**
 * Makes a server listen.
 *
 * @param port port to listen on; 0 chooses a free one
 * @returns the port on which the server listens
 * @throws UserError when the port is not available
 */
export const listen = async (server: Server, port: number, host = '127.0.0.1'): Promise<number> => {
  try {
    await once(server.listen(port, host), 'listening')
  } catch (error) {
    const problem = error instanceof Error && 'code' in error ? portProblems[String(error.code)] : undefined
    if (problem === undefined) throw error
    throw new UserError(`Port ${port} ${problem}`)
  }

  // Node's type allows text, the address of a pipe, and null, the address of a closed server.
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('A TCP server has a port.')
  return address.port
}

/** Time after which connections are closed even if their requests are under way. */
const drainMilliseconds = 2_500

/** Accepts no more connections, and waits for the requests under way. */
export const drain = async (server: HttpServer): Promise<void> => {
  if (!server.listening) return

  const closed = once(server, 'close')
  server.close()
  // A connection with a request under way becomes idle after the response, and stays open unless it is closed here.
  const closingIdle = setInterval(() => server.closeIdleConnections(), 20)
  const closingAll = setTimeout(() => server.closeAllConnections(), drainMilliseconds)
  await closed
  clearInterval(closingIdle)
  clearTimeout(closingAll)
}
