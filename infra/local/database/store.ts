import { DatabaseSync, type SQLOutputValue } from 'node:sqlite'
import { Stream } from 'node:stream'
import { isObject } from '../template/stacks.ts'

/** Called with an error, or without one and with a result. */
export type Done = (error: Failure | null | undefined, result?: unknown) => void

/** An error that dynalite sends as a response. */
export interface Failure extends Error {
  readonly statusCode: number
  readonly body: { readonly __type: string; readonly Item?: object }
}

/** The parts of dynalite's store that its operations use, and `atomically`. */
export type Store = ReturnType<typeof createStore>

/**
 * Places are the list of tables, the items of a table, and the entries of an index. A committed transaction is in the
 * operating system's hands, so it outlives this process. Nothing goes on with a table whose creation a kill has interrupted.
 */
const opening = `
  PRAGMA locking_mode = EXCLUSIVE;
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = NORMAL;
  CREATE TABLE IF NOT EXISTS entries (place TEXT, key TEXT, value TEXT, PRIMARY KEY (place, key)) WITHOUT ROWID;
  DELETE FROM entries WHERE place = 'table' AND value ->> 'TableStatus' <> 'ACTIVE';`

/** A disk without space for what a start writes is found by this. */
const spaceForStart = `
  INSERT INTO entries VALUES ('space', '', zeroblob(65536));
  DELETE FROM entries WHERE place = 'space';`

const range = 'SELECT key, value FROM entries WHERE place = ? AND key >= ? AND key < ? ORDER BY key'

/**
 * Replaces dynalite's store, which is LevelDB, by SQLite. Its calls take no turn of the event loop, so every operation
 * completes before the next one begins. All writes of one operation, to an item and its index entries, are one transaction;
 * dynalite itself makes them one by one, so that a kill leaves index entries without their item.
 *
 * @param file keeps the tables; `:memory:` for none
 */
export const createStore = (file: string) => {
  const sqlite = new DatabaseSync(file)
  sqlite.exec(opening + spaceForStart)
  const get = sqlite.prepare('SELECT value FROM entries WHERE place = ? AND key = ?')
  const put = sqlite.prepare('INSERT OR REPLACE INTO entries VALUES (?, ?, ?)')
  const remove = sqlite.prepare('DELETE FROM entries WHERE place = ? AND key = ?')
  const clear = sqlite.prepare('DELETE FROM entries WHERE place = ?')
  const [forwards, backwards] = [sqlite.prepare(range), sqlite.prepare(`${range} DESC`)]

  /** Runs an operation, and keeps all its writes; none where it fails. A part of another operation is kept with that. */
  const atomically = (run: (done: Done) => void, done: Done): void => {
    if (sqlite.isTransaction) {
      run(done)
      return
    }
    let outcome: Parameters<Done> = [
      createFailure(500, 'InternalServerError', 'The operation has not completed at once.'),
    ]
    sqlite.exec('BEGIN')
    try {
      run((...parameters) => {
        outcome = parameters
      })
      if (!outcome[0]) sqlite.exec('COMMIT')
    } catch (error) {
      const message = `${file} cannot be written (${error}). Is its disk full?`
      outcome = [isFailure(error) ? error : createFailure(500, 'InternalServerError', message)]
    }
    // Where there is no space for it, SQLite itself has ended the transaction.
    if (sqlite.isTransaction) sqlite.exec('ROLLBACK')
    done(...outcome)
  }

  /** What dynalite calls a database. */
  const database = (place: string) => ({
    awsAccountId: '000000000000',
    awsRegion: 'us-east-1',
    get: (key: string, done: Done) => done(null, readValue(get.get(place, key))),
    put: (key: string, value: unknown, done: Done) => done(null, put.run(place, key, JSON.stringify(value))),
    del: (key: string, done: Done) => done(null, remove.run(place, key)),
    clear: (done: Done) => done(null, clear.run(place)),
    lock: (_key: string, run: (release: (done: Done) => Done) => void) => run((done) => done),
    createKeyStream: () =>
      streamOf(
        () => forwards.iterate(place, '', last),
        ({ key }) => key,
      ),
    createValueStream: ({ gt, gte = after(gt, ''), lte, lt = after(lte, last), reverse = false }: Range) =>
      streamOf(() => (reverse ? backwards : forwards).iterate(place, gte, lt), readValue),
  })
  const itemDb = (table: string) => database(`item ${table}`)
  const indexDb = (type: string, table: string, index: string) =>
    database(`index-${type.toLowerCase()} ${table} ${index}`)
  const tableDb = database('table')
  return {
    /** Tables change their status at once, and an item has 400 KB at most. */
    options: { createTableMs: 0, deleteTableMs: 0, updateTableMs: 0, maxItemSize: 400 * 1024 },
    tableDb,
    /** @param withAnyStatus `false`, or left out for a table that is ACTIVE */
    getTable: (name: string, withAnyStatus: false | Done, callback: Done = withAnyStatus || (() => undefined)) =>
      tableDb.get(name, (_, table) => {
        const isThere = isObject(table) && (withAnyStatus === false || table['TableStatus'] === 'ACTIVE')
        const message = `Requested resource not found: Table: ${name} not found`
        callback(isThere ? null : createFailure(400, 'ResourceNotFoundException', message), table)
      }),
    getItemDb: itemDb,
    deleteItemDb: (table: string, done: Done) => itemDb(table).clear(done),
    getIndexDb: indexDb,
    deleteIndexDb: (type: string, table: string, index: string, done: Done) => indexDb(type, table, index).clear(done),
    deleteTagDb: (_table: string, done: Done) => done(null),
    atomically,
  }
}

/** The bounds of dynalite's queries. Keys are of ASCII letters, digits, and a few signs. */
interface Range {
  readonly gt?: string
  readonly gte?: string
  readonly lt?: string
  readonly lte?: string
  readonly reverse?: boolean
}

/** After every key. */
const last = '\u{7f}'

/** The place after a key. */
const after = (key: string | undefined, otherwise: string): string => (key === undefined ? otherwise : `${key}\u{1}`)

type Row = Record<string, SQLOutputValue>

const readValue = (row: Row | undefined): unknown => (row === undefined ? row : JSON.parse(String(row['value'])))

/**
 * What dynalite reads values from, until it destroys it. It adds listeners to it first. The rows are selected when they are
 * read, all at once: two readings never share a statement.
 */
const streamOf = (select: () => Iterable<Row>, read: (row: Row) => unknown): Stream => {
  let isDestroyed = false
  const destroy = (): void => {
    isDestroyed = true
  }
  const stream = Object.assign(new Stream(), { destroy })
  queueMicrotask(() => {
    for (const row of select()) {
      if (isDestroyed) return
      stream.emit('data', read(row))
    }
    stream.emit('end')
  })
  return stream
}

export const isFailure = (error: unknown): error is Failure => error instanceof Error && 'statusCode' in error

/** As DynamoDB says it. */
export const createFailure = (statusCode: number, type: string, message: string, more: object = {}): Failure => {
  const body = { __type: `com.amazonaws.dynamodb.v20120810#${type}`, message, ...more }
  return Object.assign(new Error(message), { statusCode, body })
}
