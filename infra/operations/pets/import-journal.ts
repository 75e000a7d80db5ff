import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { UserError } from '../../command-line/user-error.ts'
import { isRunning, type RunningProcess } from '../target/is-running.ts'

interface State extends RunningProcess {
  /** Of the file. */
  readonly sha256: string
  readonly table: string
  /** Names this import in the table: the row n is the attempt `<importId>-n`. */
  readonly importId: string
  /** Milliseconds: for each block of rows that was begun, the time of its new ids. */
  readonly times: readonly number[]
  /** How many blocks are done. */
  readonly done: number
  readonly isComplete: boolean
}

/**
 * What an import has decided, in a file beside the imported one: it is written before the table is. So an import that was
 * killed at any point goes on with the same ids, and a row that is in the table already is found there.
 */
export class ImportJournal {
  readonly path: string
  #state: State

  private constructor(path: string, state: State) {
    this.path = path
    this.#state = state
  }

  /** @throws UserError when the file differs from the one whose import was interrupted, or another process imports it */
  static async open(path: string, { sha256, table }: Pick<State, 'sha256' | 'table'>): Promise<ImportJournal> {
    const { pid } = process
    const begun = read(path)
    const isSame = begun?.sha256 === sha256 && begun.table === table
    if (begun !== undefined && !begun.isComplete) {
      if (!isSame) {
        throw new UserError(
          `The file is not the one whose import was interrupted. Import that one to its end; or delete ${path} to forget about it, and what it created stays.`,
        )
      }
      if (begun.pid !== pid && (await isRunning(begun))) {
        throw new UserError(`The process ${begun.pid} is importing this file. Wait until it has ended.`)
      }
    }
    const port = await listen()
    const importId = randomBytes(8).toString('base64url')
    const journal = new ImportJournal(
      path,
      isSame ? { ...begun, pid, port } : { sha256, table, importId, pid, port, times: [], done: 0, isComplete: false },
    )
    journal.#save({})
    return journal
  }

  get done(): number {
    return this.#state.done
  }

  get isComplete(): boolean {
    return this.#state.isComplete
  }

  attemptId(row: number): string {
    return `${this.#state.importId}-${row}`
  }

  /** The time of the new ids of a block, later than that of the one before. */
  begin(block: number, now: number): number {
    const { times } = this.#state
    const time = times[block] ?? Math.max(now, (times.at(-1) ?? 0) + 1)
    if (times[block] === undefined) this.#save({ times: [...times, time] })
    return time
  }

  end(block: number): void {
    this.#save({ done: Math.max(this.done, block + 1) })
  }

  complete(): void {
    this.#save({ isComplete: true })
  }

  /** A process that is killed leaves the whole file of before or after. */
  #save(change: Partial<State>): void {
    this.#state = { ...this.#state, ...change }
    const unfinished = `${this.path}.${process.pid}`
    writeFileSync(unfinished, `${JSON.stringify(this.#state, null, 1)}\n`, { flush: true })
    renameSync(unfinished, this.path)
  }
}

/** Listens as long as this process runs, which tells it from a later one with its id. */
const listen = async (): Promise<number | undefined> => {
  const server = createServer((socket) => socket.destroy()).unref()
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const address = server.address()
  return typeof address === 'object' ? address?.port : undefined
}

const read = (path: string): State | undefined => {
  if (!existsSync(path)) return undefined
  try {
    // Only this class writes the file.
    return JSON.parse(readFileSync(path, 'utf8')) as State
  } catch (error) {
    throw new UserError(`${path} is not the journal of an import. Move or rename it.`, { cause: error })
  }
}
