import { randomBytes } from 'node:crypto'
import { rmSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { UserError } from '../../command-line/user-error.ts'
import { doesFileExist } from './files.ts'

/** An id that an import has drawn for the new pet of a line. */
export interface DrawnId {
  readonly line: number
  readonly id: bigint
}

/**
 * The journal of an import that adds pets: a file beside the result file, from before the first pet is written until
 * the result file is there. It has the id of each new pet, drawn just before the pet is written. So the same command
 * goes on after a kill, and adds no pet twice.
 */
export class ImportJournal implements Disposable {
  /** Stored with each pet that the import adds. */
  readonly importId: string
  readonly #file: string
  readonly #database: DatabaseSync
  readonly #statements: ReturnType<typeof prepareStatements>

  private constructor(file: string, database: DatabaseSync, importId: string) {
    this.importId = importId
    this.#file = file
    this.#database = database
    this.#statements = prepareStatements(database)
  }

  /**
   * Opens the journal, and creates it if there is none.
   *
   * @param source names what is imported, and into which table
   * @throws UserError if the journal is that of another source, or another process has it open
   */
  static async open(file: string, source: string): Promise<ImportJournal> {
    const sqlite = await import('node:sqlite')
    let database: DatabaseSync | undefined
    try {
      database = new sqlite.DatabaseSync(file)
      // The lock lasts until the process ends. What a transaction has not committed at a kill is not in the file.
      database.exec(`
        PRAGMA locking_mode = EXCLUSIVE;
        BEGIN EXCLUSIVE;
        CREATE TABLE IF NOT EXISTS import (source TEXT, importId TEXT, isResultBegun INTEGER);
        CREATE TABLE IF NOT EXISTS ids (line INTEGER PRIMARY KEY, id INTEGER, isStored INTEGER);
      `)
      const importId = readImportId(database, file, source) ?? createImport(database, source)
      database.exec('COMMIT')
      return new ImportJournal(file, database, importId)
    } catch (error) {
      database?.close()
      throw explainDatabaseError(error, file)
    }
  }

  /** Whether an earlier run has begun to publish the result file. */
  get isResultBegun(): boolean {
    return this.#statements.readImport.get()?.['isResultBegun'] === 1
  }

  /** Records that the result file is about to appear. Before, no file has its name. */
  beginResult(): void {
    this.#database.exec('UPDATE import SET isResultBegun = 1')
  }

  /** Records ids that were drawn, before their pets are written. A later id of a line replaces an earlier one. */
  recordDrawn(ids: readonly DrawnId[]): void {
    this.#commit(() => {
      for (const { line, id } of ids) this.#statements.record.run(line, id)
    })
  }

  /** Records that the pets of lines are stored. */
  recordStored(lines: readonly number[]): void {
    this.#commit(() => {
      for (const line of lines) this.#statements.recordStored.run(line)
    })
  }

  /** Forgets ids under which no pet will be stored. */
  forget(lines: readonly number[]): void {
    this.#commit(() => {
      for (const line of lines) this.#statements.forget.run(line)
    })
  }

  /** Lists the ids of the last batch of a run that did not end: their pets may be stored or not. */
  listUncertainIds(): readonly DrawnId[] {
    return this.#statements.listUncertain.all().map(({ line, id }) => ({ line: Number(line), id: BigInt(Number(id)) }))
  }

  /** Finds the id of the stored pet of a line. */
  findStoredId(line: number): bigint | undefined {
    const id = this.#statements.findStored.get(line)?.['id']
    return id === undefined ? undefined : BigInt(Number(id))
  }

  /** Deletes the journal of an import that has ended. */
  delete(): void {
    this.#database.close()
    rmSync(this.#file)
  }

  /** Releases the journal. One without ids is deleted, because its import has not begun. */
  [Symbol.dispose](): void {
    if (!this.#database.isOpen) return
    if (this.#statements.hasIds.get() === undefined) this.delete()
    else this.#database.close()
  }

  #commit(write: () => void): void {
    this.#database.exec('BEGIN')
    try {
      write()
      this.#database.exec('COMMIT')
    } catch (error) {
      throw explainDatabaseError(error, this.#file)
    }
  }
}

/** Returns the path of the journal of an import with a result file. */
export const getJournalFile = (resultFile: string): string => `${resultFile}.importing`

export const doesJournalExist = (resultFile: string): boolean => doesFileExist(getJournalFile(resultFile))

const prepareStatements = (database: DatabaseSync) => ({
  readImport: database.prepare('SELECT * FROM import'),
  record: database.prepare('INSERT OR REPLACE INTO ids VALUES (?, ?, 0)'),
  recordStored: database.prepare('UPDATE ids SET isStored = 1 WHERE line = ?'),
  forget: database.prepare('DELETE FROM ids WHERE line = ?'),
  hasIds: database.prepare('SELECT 1 FROM ids LIMIT 1'),
  listUncertain: database.prepare('SELECT line, id FROM ids WHERE isStored = 0 ORDER BY line'),
  findStored: database.prepare('SELECT id FROM ids WHERE line = ? AND isStored = 1'),
})

/**
 * @returns undefined if the journal has no ids
 * @throws UserError if the journal has ids of another source
 */
const readImportId = (database: DatabaseSync, file: string, source: string): string | undefined => {
  const row = database.prepare('SELECT source, importId FROM import WHERE EXISTS (SELECT 1 FROM ids)').get()
  if (row === undefined) return undefined
  if (row['source'] === source) return String(row['importId'])
  throw new UserError(
    `${file} is the journal of an import of other rows that did not end. Import the same rows into the same ` +
      'environment to go on, and correct them in its result file. To import other rows, name another file with --out.',
  )
}

const createImport = (database: DatabaseSync, source: string): string => {
  const importId = `import-${randomBytes(8).toString('hex')}`
  database.exec('DELETE FROM import')
  database.prepare('INSERT INTO import VALUES (?, ?, 0)').run(source, importId)
  return importId
}

/** Result codes of SQLite (sqlite.org/rescode.html). */
const sqliteBusy = 5
const sqliteCannotOpen = 14
const sqliteNotADatabase = 26

/** Turns an error of SQLite into a message for the operator. Other errors pass unchanged. */
const explainDatabaseError = (error: unknown, file: string): unknown => {
  const { errcode } = Object(error)
  switch (errcode) {
    case sqliteBusy:
      return new UserError(`Another import uses ${file}. Wait until it has ended.`)
    case sqliteCannotOpen:
      return new UserError(`${file} cannot be written. Name a file in a folder that you may write to, with --out.`)
    case sqliteNotADatabase:
      return new UserError(`${file} is no journal of an import. Name another file with --out.`)
    default:
      return error
  }
}
