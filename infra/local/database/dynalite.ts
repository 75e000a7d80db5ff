import { once } from 'node:events'
import { mkdir } from 'node:fs/promises'
import { setTimeout } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { UserError } from '../../command-line/user-error.ts'
import type { Database } from './database.ts'
import type { Listening, ThreadSettings } from './dynalite-thread.ts'

/**
 * Starts dynalite in a thread, so that its work never delays the gateway's. With a folder, a thread that
 * ends with an error is replaced by another one, which has everything that was acknowledged.
 *
 * @param folder keeps the tables; without one they are in memory
 * @throws UserError when the folder cannot be written, or another process has it open.
 */
export const startDynalite = async (folder: string | undefined): Promise<Database> => {
  const { thread: first, port } = await openFirst(folder)
  const running = { thread: Promise.resolve(first) }
  const closing = new AbortController()
  const replaceWhenItFails = (thread: Worker): void => {
    if (folder === undefined) return
    thread.once('error', (error) => {
      if (closing.signal.aborted) return
      console.error(`[database] ${error.message}. ${advice(folder)}`)
      running.thread = reopen({ folder, port }, closing.signal)
      running.thread.then(replaceWhenItFails, () => undefined)
    })
  }
  replaceWhenItFails(first)
  return {
    endpoint: `http://127.0.0.1:${port}`,
    deletesExpiredItems: false,
    close: async () => {
      closing.abort()
      const last = await running.thread.catch(() => undefined)
      if (last === undefined || last.threadId === ended) return
      const exit = Promise.withResolvers<number>()
      // dynalite throws at a write that comes too late; its caller gets no response.
      last.once('exit', exit.resolve).on('error', () => undefined)
      last.ref()
      last.postMessage('close')
      await exit.promise
    },
  }
}

/** The id that Node gives a thread which has ended. */
const ended = -1

const advice = (folder: string): string =>
  `Requests fail until ${folder} can be opened again. If its disk is full, free some space.`

interface OpenThread {
  readonly thread: Worker
  readonly port: number
}

const openFirst = async (folder: string | undefined): Promise<OpenThread> => {
  try {
    if (folder !== undefined) await mkdir(folder, { recursive: true })
    return await openThread({ folder, port: 0 })
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new UserError(
      `The database could not be opened (${reason}). Choose another folder with --data, or free some space if its disk is full.`,
    )
  }
}

const openThread = async (settings: ThreadSettings): Promise<OpenThread> => {
  const thread = new Worker(new URL('./dynalite-thread.ts', import.meta.url), {
    workerData: settings,
    // V8 would let it grow to 192 MB, and does not give memory back.
    resourceLimits: { maxYoungGenerationSizeMb: 24 },
    // The process's own flags, such as a test runner's, are not for this thread.
    execArgv: [],
  })
  // The thread sends nothing else.
  const [message]: Listening[] = await once(thread, 'message')
  if (message === undefined) throw new Error('it reports no port')
  // The process keeps running because of the gateway, not because of this thread.
  thread.unref()
  return { thread, port: message.port }
}

const reopen = async (settings: ThreadSettings, signal: AbortSignal): Promise<Worker> => {
  for (;;) {
    await setTimeout(1_000, undefined, { signal, ref: false })
    try {
      const { thread } = await openThread(settings)
      console.error('[database] It is open again.')
      return thread
    } catch {
      // The problem is the same, and reported already.
    }
  }
}
