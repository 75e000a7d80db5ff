import { connect } from 'node:net'

export interface RunningProcess {
  readonly pid: number
  /** The port of this machine on which it answers; undefined if it answers on none. */
  readonly port: number | undefined
}

/**
 * Whether a process that a file tells of is still there. One that was killed leaves its files
 * behind, and its id may be another's by now: so it must also answer on its port.
 */
export const isRunning = async ({ pid, port }: RunningProcess): Promise<boolean> =>
  exists(pid) && (port === undefined || answers(port))

/** Signal 0 is sent to nobody: it only tells whether the process is there. */
const exists = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // A process of another user is there, though it takes no signal of ours.
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

const answers = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
    socket.once('connect', () => socket.destroy())
  })
