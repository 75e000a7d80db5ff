import { isDeepStrictEqual } from 'node:util'

/**
 * Fixes dynalite: it writes an item's index entries first, each by itself, and the item last. A process that
 * is killed in between leaves index entries without an item. Here they become one batch, which LevelDB writes
 * completely or not at all. dynalite then writes the same item once more.
 *
 * Unchanged entries, as when a request of a key is counted, are not written again.
 */
export const writeItemsWithIndexes = (require: NodeJS.Require): void => {
  const db: DynaliteDatabase = require('dynalite/db')
  db.updateIndexes = (store, table, oldItem, newItem, done) => {
    const indexes = table.GlobalSecondaryIndexes ?? []
    const { puts, deletes } = db.getIndexActions(indexes, oldItem, newItem, table)
    const present = db.getIndexActions(indexes, undefined, oldItem, table).puts
    const changed = puts.filter((entry) => !present.some((other) => isDeepStrictEqual(other, entry)))
    if (changed.length + deletes.length === 0) {
      done()
      return
    }
    const inIndex = ({ index, key }: IndexKey): string => `index-global~${table.TableName}~${index}~${key}`
    const item = newItem ?? oldItem
    const itemKey = item === undefined ? '' : `item-${table.TableName}~${db.createKey(item, table)}`
    const writeItem: Write =
      newItem === null ? { type: 'del', key: itemKey } : { type: 'put', key: itemKey, value: newItem }
    store.db.batch(
      [
        ...deletes.map((entry): Write => ({ type: 'del', key: inIndex(entry) })),
        ...changed.map((entry): Write => ({ type: 'put', key: inIndex(entry), value: entry.item })),
        writeItem,
      ],
      done,
    )
  }
}

type Item = object | undefined

interface IndexKey {
  readonly index: string
  readonly key: string
}

type Write =
  | { readonly type: 'del'; readonly key: string }
  | { readonly type: 'put'; readonly key: string; readonly value: object }

interface Table {
  readonly TableName: string
  readonly GlobalSecondaryIndexes?: readonly object[]
}

interface Store {
  /** LevelDB itself, in which the keys of every table and index have a prefix. */
  readonly db: { batch(writes: readonly Write[], done: (error?: Error) => void): void }
}

interface DynaliteDatabase {
  /** @param newItem `null` where the item is deleted */
  updateIndexes(store: Store, table: Table, oldItem: Item, newItem: object | null, done: (error?: Error) => void): void
  getIndexActions(
    indexes: readonly object[],
    oldItem: Item,
    newItem: Item | null,
    table: Table,
  ): { readonly puts: readonly (IndexKey & { readonly item: object })[]; readonly deletes: readonly IndexKey[] }
  createKey(item: object, table: Table): string
}
