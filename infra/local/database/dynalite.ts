import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { UserError } from '../../command-line/user-error.ts'

/** A DynamoDB of the local environment. */
export interface Database {
  /** The `endpoint` for the AWS SDK. */
  readonly endpoint: string
  close(): Promise<void>
}

export interface DynaliteOptions {
  /** Keeps the tables, for this process alone. Without one they are in memory. */
  readonly folder?: string
  /** Deletes first what the folder holds. */
  readonly fresh?: boolean
}

/**
 * Starts dynalite in a thread, so that its work never delays the gateway's.
 *
 * @throws UserError when the folder's database cannot be read or written
 */
export const startDynalite = async (options: DynaliteOptions = {}): Promise<Database> => {
  const thread = new Worker(new URL('./dynalite-thread.ts', import.meta.url), {
    workerData: options,
    // V8 would let it grow to 192 MB, and does not give memory back.
    resourceLimits: { maxYoungGenerationSizeMb: 24 },
    // The process's own flags, such as a test runner's, are not for this thread. Node.js 24 says that SQLite may change.
    execArgv: ['--disable-warning=ExperimentalWarning'],
  })
  try {
    // Its one message. An error before it means that the tables cannot be opened.
    const [port]: number[] = await once(thread, 'message')
    // The process keeps running because of the gateway, not because of this thread.
    thread.unref()
    // What is acknowledged is in the file.
    return { endpoint: `http://127.0.0.1:${port}`, close: async () => void (await thread.terminate()) }
  } catch (error) {
    throw new UserError(
      `The database cannot be opened (${error instanceof Error ? error.message : error}). Choose another folder with --data, free some space if its disk is full, or start with --fresh.`,
    )
  }
}
