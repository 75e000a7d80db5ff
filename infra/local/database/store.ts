import { Stream } from 'node:stream'
import { isObject } from '../../synthesis/json.ts'
import { openJournal, readJournal, type Write } from './journal.ts'

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
export const createStore = (file: string | undefined) => {
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
  for (const write of file === undefined ? [] : readJournal(file)) apply(write)
  for (const [key, table] of [...valuesAt('table').entries()]) {
    // Nothing goes on with a table whose creation a kill has interrupted.
    if (JSON.parse(table).TableStatus !== 'ACTIVE') apply({ place: 'table', key, value: null })
  }
  const journal = file === undefined ? undefined : openJournal(file, contents())

  /** The writes of the operation under way: none of them reads what another has written. */
  let underWay: Write[] | undefined
  /** @returns why the writes are not kept, as DynamoDB would say it */
  const keep = (writes: readonly Write[]): Error | null => {
    try {
      if (writes.length > 0) journal?.(writes)
    } catch (error) {
      return responseError(500, 'InternalServerError', `${file} cannot be written (${error}). Is its disk full?`)
    }
    for (const write of writes) apply(write)
    return null
  }
  const write = (one: Write, done: Done): void => {
    const failure = underWay === undefined ? keep([one]) : null
    underWay?.push(one)
    done(failure)
  }

  /**
   * Runs an operation, and keeps all its writes; none where it fails. Nothing in this store takes a turn of the event
   * loop, so every operation that writes completes before the next one begins.
   */
  const atomically = (run: (done: Done) => void, done: Done): void => {
    // A part of another one, which keeps both or neither.
    if (underWay !== undefined) {
      run(done)
      return
    }
    const writes: Write[] = []
    underWay = writes
    let outcome: Parameters<Done> = [new Error('The operation has not completed at once.')]
    try {
      run((...parameters) => {
        outcome = parameters
      })
    } finally {
      underWay = undefined
    }
    const [error, result] = outcome
    done(error ?? keep(writes), result)
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
    clear: (done: Done) => {
      for (const [key] of [...valuesAt(place).entries()]) write({ place, key, value: null }, () => undefined)
      done(null)
    },
    lock: (_key: string, run: (release: (done: Done) => Done) => void) => run((done) => done),
    createKeyStream: () => streamOf([...valuesAt(place).entries()], ([key]) => key),
    createValueStream: (range: Range) => streamOf(valuesAt(place).range(range), (value) => JSON.parse(value)),
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
        callback(isThere ? null : responseError(400, 'ResourceNotFoundException', message), table)
      }),
    getItemDb: itemDb,
    deleteItemDb: (table: string, done: Done) => itemDb(table).clear(done),
    getIndexDb: indexDb,
    deleteIndexDb: (type: string, table: string, index: string, done: Done) => indexDb(type, table, index).clear(done),
    deleteTagDb: (_table: string, done: Done) => done(null),
    atomically,
  }
}

/** What dynalite reads values from, until it destroys it. It adds listeners to it first. */
const streamOf = <Value>(values: Iterable<Value>, read: (value: Value) => unknown): Stream => {
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

/** The bounds of dynalite's queries. */
interface Range {
  readonly gt?: string
  readonly gte?: string
  readonly lt?: string
  readonly lte?: string
  readonly reverse?: boolean
}

/** JSON texts by their keys, in the order of the keys. */
class SortedValues {
  readonly #values = new Map<string, string>()
  /** Sorted at the first range, and kept so from then on. */
  #keys: string[] | undefined

  get(key: string): string | undefined {
    return this.#values.get(key)
  }

  /** @param value `null` removes the key */
  set(key: string, value: string | null): void {
    const isThere = this.#values.has(key)
    if (value === null) this.#values.delete(key)
    else this.#values.set(key, value)
    if (this.#keys === undefined || isThere === (value !== null)) return
    this.#keys.splice(placeIn(this.#keys, key), isThere ? 1 : 0, ...(isThere ? [] : [key]))
  }

  entries(): Iterable<readonly [key: string, value: string]> {
    return this.#values.entries()
  }

  *range({ gt, gte = '', lt, lte, reverse = false }: Range): Iterable<string> {
    this.#keys ??= [...this.#values.keys()].sort()
    const keys = this.#keys
    const start = placeIn(keys, gt ?? gte, gt !== undefined)
    const end = lt === undefined && lte === undefined ? keys.length : placeIn(keys, lt ?? lte ?? '', lt === undefined)
    for (let count = 0; count < end - start; count += 1) {
      const value = this.#values.get(keys[reverse ? end - 1 - count : start + count] ?? '')
      if (value !== undefined) yield value
    }
  }
}

/** Where a key is or belongs among sorted ones; or the place after it. */
const placeIn = (keys: readonly string[], key: string, isAfter = false): number => {
  let [low, high] = [0, keys.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    const other = keys[middle] ?? ''
    if (other < key || (isAfter && other === key)) low = middle + 1
    else high = middle
  }
  return low
}
