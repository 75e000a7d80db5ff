import { once } from 'node:events'
import { mkdir } from 'node:fs/promises'
import { Worker } from 'node:worker_threads'
import { ClearError } from '../../command-line/clear-error.ts'
import type { Database } from './database.ts'
import type { Listening } from './dynalite-thread.ts'

/**
 * Starts dynalite in a thread of its own, so that its work never delays the gateway's.
 *
 * @param folder keeps the tables; without one they are in memory
 * @throws ClearError when another process has the folder open.
 */
export const startDynalite = async (folder: string | undefined): Promise<Database> => {
  if (folder !== undefined) await mkdir(folder, { recursive: true })
  const thread = new Worker(new URL('./dynalite-thread.ts', import.meta.url), {
    workerData: { folder },
    // The process's own flags, such as a test runner's, are not for this thread.
    execArgv: [],
  })
  const port = await listening(thread)
  // The environment is closed by its own order, never because this thread is idle.
  thread.unref()
  return {
    endpoint: `http://127.0.0.1:${port}`,
    deletesExpiredItems: false,
    close: async () => {
      const ended = once(thread, 'exit')
      thread.ref()
      thread.postMessage('close')
      await ended
    },
  }
}

const listening = async (thread: Worker): Promise<number> => {
  try {
    // The thread sends nothing else.
    const [message]: Listening[] = await once(thread, 'message')
    if (message === undefined) throw new Error('it does not say where it listens')
    return message.port
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new ClearError(`The database could not be opened (${reason}). Choose another folder with --data.`)
  }
}
