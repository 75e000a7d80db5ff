/**
 * Storage of the built-in DynamoDB. It replaces dynalite's store, which is LevelDB, by one SQLite file: acknowledged
 * writes survive a kill of the process, and no index has an entry without its item. dynalite writes an item and its
 * index entries one by one; here all writes of a call of DynamoDB are one transaction. Everything is synchronous, so a
 * call completes before the next one begins.
 *
 * The storage relies on internals of dynalite 4.0.0: the actions and validations take the store as a parameter, use the
 * members that `createStorage` returns and no others, and wait for nothing but callbacks. The tests of this file fail
 * if an update of dynalite changes these.
 *
 * Unlike DynamoDB on AWS, an index has a write as soon as the table has it, and a table is created or deleted at once.
 */
import { DatabaseSync, type SQLOutputValue } from 'node:sqlite'
import { Stream } from 'node:stream'
import { inspect } from 'node:util'
import { isObject } from '../template/stacks.ts'

/** A callback of dynalite. It gets an error, or the result. */
export type Done = (error: Failure | null | undefined, result?: unknown) => void

/** An error that dynalite sends as a response. */
export interface Failure extends Error {
  readonly statusCode: number
  readonly body: { readonly __type: string; readonly Item?: object }
}

export const isFailure = (error: unknown): error is Failure => error instanceof Error && 'statusCode' in error

/**
 * Creates an error with the body that DynamoDB sends for it.
 *
 * @param type such as `ResourceNotFoundException`
 * @param more further members of the body
 */
export const createFailure = (statusCode: number, type: string, message: string, more: object = {}): Failure => {
  const body = { __type: `com.amazonaws.dynamodb.v20120810#${type}`, message, ...more }
  return Object.assign(new Error(message), { statusCode, body })
}

/**
 * Statements that open the file. `place` is a namespace: the table list, the items of one table, or the entries of one
 * index.
 *
 * With `synchronous = NORMAL` a committed transaction outlives this process, because the operating system has it. If a
 * kill interrupts the creation of a table, nothing completes it, so the last statement deletes such tables.
 */
const openFileSql = `
  PRAGMA locking_mode = EXCLUSIVE;
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = NORMAL;
  CREATE TABLE IF NOT EXISTS entries (place TEXT, key TEXT, value TEXT, PRIMARY KEY (place, key)) WITHOUT ROWID;
  DELETE FROM entries WHERE place = 'table' AND value ->> 'TableStatus' <> 'ACTIVE';`

/** Statements that write 64 KB and delete them, so that a full disk fails the start, and not the first writes. */
const checkSpaceSql = `
  INSERT INTO entries VALUES ('space', '', zeroblob(65536));
  DELETE FROM entries WHERE place = 'space';`

const selectRangeSql = 'SELECT key, value FROM entries WHERE place = ? AND key >= ? AND key < ? ORDER BY key'

const prepareStatements = (sqlite: DatabaseSync) => ({
  get: sqlite.prepare('SELECT value FROM entries WHERE place = ? AND key = ?'),
  put: sqlite.prepare('INSERT OR REPLACE INTO entries VALUES (?, ?, ?)'),
  remove: sqlite.prepare('DELETE FROM entries WHERE place = ? AND key = ?'),
  clear: sqlite.prepare('DELETE FROM entries WHERE place = ?'),
  selectAscending: sqlite.prepare(selectRangeSql),
  selectDescending: sqlite.prepare(`${selectRangeSql} DESC`),
})

/** The members of dynalite's store that its calls use, and `atomically`. */
export type Storage = ReturnType<typeof createStorage>

/**
 * Creates the storage of the built-in DynamoDB.
 *
 * @param file path of the SQLite file; `:memory:` keeps the tables in memory
 */
export const createStorage = (file: string) => {
  const sqlite = new DatabaseSync(file)
  sqlite.exec(openFileSql + checkSpaceSql)
  const statements = prepareStatements(sqlite)

  const tableDb = createNamespace(statements, 'table')
  const getItemDb = (table: string) => createNamespace(statements, `item ${table}`)
  const getIndexDb = (type: string, table: string, index: string) =>
    createNamespace(statements, `index-${type.toLowerCase()} ${table} ${index}`)

  return {
    /** Changes of tables complete at once. An item has at most 400 KB, as on AWS. */
    options: { createTableMs: 0, deleteTableMs: 0, updateTableMs: 0, maxItemSize: 400 * 1024 },
    tableDb,
    getTable: createTableLookup(tableDb),
    getItemDb,
    deleteItemDb: (table: string, done: Done) => getItemDb(table).clear(done),
    getIndexDb,
    deleteIndexDb: (type: string, table: string, index: string, done: Done) =>
      getIndexDb(type, table, index).clear(done),
    /** Deletes the tags of a table. No call of `calls.ts` adds any. */
    deleteTagDb: (_table: string, done: Done) => done(null),

    /**
     * Runs a call in a transaction. The call reports its outcome to `completed` before it returns, and `done` gets this
     * outcome when the transaction has ended. If the call fails, none of its writes is kept.
     */
    atomically: (run: (completed: Done) => void, done: Done): void => {
      let outcome: Parameters<Done> = [createFailure(500, 'InternalServerError', 'The call has not completed at once.')]
      sqlite.exec('BEGIN')
      try {
        run((...parameters) => {
          outcome = parameters
        })
        const [error] = outcome
        if (!error) sqlite.exec('COMMIT')
      } catch (error) {
        outcome = [
          isFailure(error) ? error : createFailure(500, 'InternalServerError', describeStorageError(error, file)),
        ]
      }
      // If the disk is full, SQLite itself has rolled the transaction back.
      if (sqlite.isTransaction) sqlite.exec('ROLLBACK')
      done(...outcome)
    },
  }
}

/** Describes an error for the response 500. Errors of SQLite have an `errcode`. */
const describeStorageError = (error: unknown, file: string): string =>
  error instanceof Error && 'errcode' in error
    ? `${file} cannot be written (${error}). Is its disk full?`
    : inspect(error)

/**
 * Creates dynalite's `getTable`: `getTable(name, done)` finds an ACTIVE table, `getTable(name, false, done)` a table of
 * any status.
 */
const createTableLookup =
  (tableDb: ReturnType<typeof createNamespace>) =>
  (name: string, checkStatusOrDone: false | Done, doneForAnyStatus?: Done): void => {
    const isAnyStatusAllowed = checkStatusOrDone === false
    const done = checkStatusOrDone === false ? doneForAnyStatus : checkStatusOrDone
    tableDb.get(name, (_, table) => {
      const isFound = isObject(table) && (isAnyStatusAllowed || table['TableStatus'] === 'ACTIVE')
      const message = `Requested resource not found: Table: ${name} not found`
      done?.(isFound ? null : createFailure(400, 'ResourceNotFoundException', message), table)
    })
  }

/** The bounds of dynalite's queries. */
interface KeyRange {
  readonly gt?: string
  readonly gte?: string
  readonly lt?: string
  readonly lte?: string
  readonly reverse?: boolean
}

/** Text that sorts after every key: keys consist of ASCII letters, digits, and a few signs. */
const endOfKeys = '\u{7f}'

/** Returns a text just after a key, and before every other key: no key has a sign as low as U+0001. */
const findBoundAfter = (key: string | undefined): string | undefined => (key === undefined ? undefined : `${key}\u{1}`)

/** Creates the object that dynalite calls a database: one namespace with the methods of LevelDB. */
const createNamespace = (statements: ReturnType<typeof prepareStatements>, place: string) => ({
  // dynalite builds the ARNs of tables from these two. Nothing reads the ARNs.
  awsAccountId: '000000000000',
  awsRegion: 'us-east-1',

  get: (key: string, done: Done): void => done(null, readValue(statements.get.get(place, key))),

  put: (key: string, value: unknown, done: Done): void => {
    statements.put.run(place, key, JSON.stringify(value))
    done(null)
  },

  del: (key: string, done: Done): void => {
    statements.remove.run(place, key)
    done(null)
  },

  clear: (done: Done): void => {
    statements.clear.run(place)
    done(null)
  },

  /** Runs the function at once, without a lock, because calls never overlap. */
  lock: (_key: string, run: (unlock: (done: Done) => Done) => void): void => run((done) => done),

  createKeyStream: (): Stream => {
    const select = () => statements.selectAscending.iterate(place, '', endOfKeys)
    return createRowStream(select, ({ key }) => key)
  },

  createValueStream: (range: KeyRange): Stream => {
    const from = range.gte ?? findBoundAfter(range.gt) ?? ''
    const before = range.lt ?? findBoundAfter(range.lte) ?? endOfKeys
    const statement = range.reverse ? statements.selectDescending : statements.selectAscending
    return createRowStream(() => statement.iterate(place, from, before), readValue)
  },
})

type Row = Record<string, SQLOutputValue>

const readValue = (row: Row | undefined): unknown => (row === undefined ? undefined : JSON.parse(String(row['value'])))

/**
 * Creates a stream that sends one value for each row until dynalite destroys it. The rows are selected in a microtask,
 * after dynalite has added its listeners. They are sent before anything else runs, so two streams never share a
 * statement.
 */
const createRowStream = (select: () => Iterable<Row>, readRow: (row: Row) => unknown): Stream => {
  let isDestroyed = false
  const destroy = (): void => {
    isDestroyed = true
  }
  const stream = Object.assign(new Stream(), { destroy })

  queueMicrotask(() => {
    for (const row of select()) {
      if (isDestroyed) return
      stream.emit('data', readRow(row))
    }
    stream.emit('end')
  })
  return stream
}
