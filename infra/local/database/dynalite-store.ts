import { Stream } from 'node:stream'
import { isObject } from '../../synthesis/json.ts'
import { openJournal, type Write } from './journal.ts'
import { type Range, SortedValues } from './sorted-values.ts'

/** Called with an error, or without one and with a result. */
export type Done = (error: Error | null | undefined, result?: unknown) => void

/** The parts of dynalite's store that its operations use, and `atomically`. */
export type Store = ReturnType<typeof createStore>

/**
 * Replaces dynalite's store, which is LevelDB, by values in memory and a journal. Reads then wait for no other thread.
 * All writes of one operation, to an item and its index entries, are one line of the journal; dynalite itself makes them
 * one by one, so that a kill leaves index entries without their item.
 *
 * @param file keeps the tables; without one they are in memory alone
 */
export const createStore = (options: object, file: string | undefined) => {
  const places = new Map<string, SortedValues>()
  const valuesAt = (place: string): SortedValues => {
    const values = places.get(place) ?? new SortedValues()
    places.set(place, values)
    return values
  }
  const apply = ({ place, key, value }: Write): void => valuesAt(place).set(key, value)
  function* contents(): Iterable<Write> {
    for (const [place, values] of places) for (const [key, value] of values.entries()) yield { place, key, value }
  }
  const journal = file === undefined ? undefined : openJournal(file, apply, contents)
  for (const [key, value] of [...valuesAt('table').entries()]) {
    // Nothing goes on with a table whose creation or deletion a kill has interrupted.
    if (JSON.parse(value).TableStatus !== 'ACTIVE') apply({ place: 'table', key, value: null })
  }

  let isWritable = true
  /** @returns why the writes are not kept, as DynamoDB would say it */
  const keep = (writes: readonly Write[]): Error | undefined => {
    try {
      if (writes.length > 0) journal?.append(writes)
      if (!isWritable) console.error('[database] It can be written again.')
      isWritable = true
      return undefined
    } catch (error) {
      if (isWritable)
        console.error(`[database] ${error}. Requests fail until ${file} can be written. Is its disk full?`)
      isWritable = false
      return internalServerError(error)
    }
  }

  /** The writes of the operation under way, and what takes them back. */
  let operation: { readonly writes: Write[]; readonly undo: Write[] } | undefined
  const write = (one: Write, done: Done): void => {
    const value = valuesAt(one.place).get(one.key) ?? null
    const failure = operation === undefined ? keep([one]) : undefined
    if (failure === undefined) apply(one)
    operation?.writes.push(one)
    operation?.undo.unshift({ ...one, value })
    done(failure)
  }

  /**
   * Runs an operation. Where it fails, or cannot be kept, nothing of it is. Nothing in this store takes a turn of the
   * event loop, so every operation that writes completes before the next one begins.
   */
  const atomically = (run: (done: Done) => void, done: Done): void => {
    // A part of another one, which keeps both or neither.
    if (operation !== undefined) {
      run(done)
      return
    }
    const writes: Write[] = []
    const undo: Write[] = []
    operation = { writes, undo }
    let outcome: Parameters<Done> = [new Error('The operation has not completed at once.')]
    try {
      run((...parameters) => {
        outcome = parameters
      })
    } finally {
      operation = undefined
      const failure = outcome[0] ?? keep(writes)
      if (failure) {
        outcome = [failure]
        for (const one of undo) apply(one)
      }
    }
    done(...outcome)
  }

  /** What dynalite calls a database: the items of a table, or the entries of an index. */
  const database = (place: string) => ({
    awsAccountId: '000000000000',
    awsRegion: 'us-east-1',
    get: (key: string, done: Done) => {
      const value = valuesAt(place).get(key)
      done(null, value === undefined ? undefined : JSON.parse(value))
    },
    put: (key: string, value: unknown, done: Done) => write({ place, key, value: JSON.stringify(value) }, done),
    del: (key: string, done: Done) => write({ place, key, value: null }, done),
    lock: (_key: string, run: (release: (done: Done) => Done) => void) => run((done) => done),
    createKeyStream: () => streamOf([...valuesAt(place).entries()].map(([key]) => key)),
    createValueStream: (range: Range) => streamOf(valuesAt(place).range(range), (value) => JSON.parse(value)),
  })
  const remove = (place: string, done: Done): void => {
    for (const [key] of [...valuesAt(place).entries()]) write({ place, key, value: null }, () => undefined)
    done(null)
  }
  const indexPlace = (type: string, table: string, index: string): string =>
    `index-${type.toLowerCase()} ${table} ${index}`
  const tableDb = database('table')
  return {
    options,
    tableDb,
    /** @param withAnyStatus `false`, or left out for a table that is ACTIVE */
    getTable: (name: string, withAnyStatus: false | Done, callback: Done = withAnyStatus || (() => undefined)) =>
      tableDb.get(name, (_, table) => {
        const isThere = isObject(table) && (withAnyStatus === false || table['TableStatus'] === 'ACTIVE')
        callback(isThere ? null : resourceNotFound(name), table)
      }),
    getItemDb: (table: string) => database(`item ${table}`),
    deleteItemDb: (table: string, done: Done) => remove(`item ${table}`, done),
    getIndexDb: (type: string, table: string, index: string) => database(indexPlace(type, table, index)),
    deleteIndexDb: (type: string, table: string, index: string, done: Done) =>
      remove(indexPlace(type, table, index), done),
    deleteTagDb: (table: string, done: Done) => remove(`tag ${table}`, done),
    atomically,
  }
}

/** What dynalite reads values from, until it destroys it. It adds listeners to it first. */
const streamOf = <Value>(values: Iterable<Value>, read: (value: Value) => unknown = (value) => value): Stream => {
  let isDestroyed = false
  const destroy = (): void => {
    isDestroyed = true
  }
  const stream = Object.assign(new Stream(), { destroy })
  queueMicrotask(() => {
    for (const value of values) {
      if (isDestroyed) return
      stream.emit('data', read(value))
    }
    stream.emit('end')
  })
  return stream
}

/** An error that dynalite sends as a response. */
const responseError = (statusCode: number, type: string, message: string): Error =>
  Object.assign(new Error(message), {
    statusCode,
    body: { __type: `com.amazonaws.dynamodb.v20120810#${type}`, message },
  })

const internalServerError = (reason: unknown): Error =>
  responseError(500, 'InternalServerError', reason instanceof Error ? reason.message : String(reason))

const resourceNotFound = (table: string): Error =>
  responseError(400, 'ResourceNotFoundException', `Requested resource not found: Table: ${table} not found`)
