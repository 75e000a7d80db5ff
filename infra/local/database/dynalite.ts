import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { UserError } from '../../command-line/user-error.ts'

/** A DynamoDB that the local environment uses. */
export interface Database {
  /** The `endpoint` for the AWS SDK. */
  readonly endpoint: string
  close(): Promise<void>
}

export interface DynaliteOptions {
  /** Folder for the file with the tables, locked while the database runs. @default the tables are kept in memory */
  readonly folder?: string
  /** Deletes the contents of the folder first, but for the lock and the record of the environment. */
  readonly fresh?: boolean
}

/**
 * Starts dynalite, the built-in DynamoDB, in a thread, so that its work never delays the gateway.
 *
 * Unlike DynamoDB on AWS it checks no signature, supports only the calls in `calls.ts`, deletes no expired
 * item and throttles nothing.
 *
 * @throws UserError when the folder's database cannot be read or written
 */
export const startDynalite = async (options: DynaliteOptions = {}): Promise<Database> => {
  const thread = new Worker(new URL('./dynalite-thread.ts', import.meta.url), {
    workerData: options,
    // V8 would let the young generation grow to 192 MB, and does not return its memory.
    resourceLimits: { maxYoungGenerationSizeMb: 24 },
    // These flags replace those of the process, such as a test runner's. Node.js 24 warns of its experimental SQLite.
    execArgv: ['--disable-warning=ExperimentalWarning'],
  })
  try {
    // The thread sends one message, its port. An error before this message means that the tables cannot be opened.
    const [port]: number[] = await once(thread, 'message')
    // The gateway keeps the process running, not this thread.
    thread.unref()
    return {
      endpoint: `http://127.0.0.1:${port}`,
      // The thread may end at any moment: every acknowledged write is in the file.
      close: async () => {
        await thread.terminate()
      },
    }
  } catch (error) {
    throw explainOpenError(error)
  }
}

/** SQLite's code of the error that another process has locked a file (SQLITE_BUSY). */
const busyCode = 5

/** Turns an error of the thread into a message for the user. */
const explainOpenError = (error: unknown): UserError => {
  if (error instanceof Error && 'errcode' in error && error.errcode === busyCode) {
    const problem = 'Another process uses the database of the data folder.'
    return new UserError(`${problem} Wait until it has ended, or choose another folder with --data.`)
  }
  const reason = error instanceof Error ? error.message : error
  const advice = 'Choose another folder with --data, free some space if its disk is full, or start with --fresh.'
  return new UserError(`The database cannot be opened (${reason}). ${advice}`)
}
