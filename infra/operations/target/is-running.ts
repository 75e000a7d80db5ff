import { once } from 'node:events'
import { connect } from 'node:net'

export interface RunningProcess {
  readonly pid: number
  /** The port of this machine on which it listens; undefined if it listens on none. */
  readonly port: number | undefined
}

/**
 * Whether the process named in a file still runs. A killed process leaves its files behind, and another process may
 * have its id by now, so it must also accept connections on its port.
 */
export const isRunning = async ({ pid, port }: RunningProcess): Promise<boolean> =>
  exists(pid) && (port === undefined || listens(port))

/** Signal 0 reaches no process: it only checks whether the process exists. */
const exists = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // A process of another user exists, but refuses our signals.
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

const listens = async (port: number): Promise<boolean> => {
  const socket = connect(port, '127.0.0.1')
  const isConnected = await once(socket, 'connect').then(
    () => true,
    () => false,
  )
  socket.destroy()
  return isConnected
}
