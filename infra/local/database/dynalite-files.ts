import { createRequire } from 'node:module'

/** LevelDB, as dynalite has it. */
interface Level {
  open(): Promise<void>
  close(): Promise<void>
  del(key: string): Promise<void>
  iterator(range: { readonly gte: string; readonly lt: string }): AsyncIterable<[key: string, value: string]>
}

type LevelConstructor = { new (path: string): Level; readonly prototype: object }

const levelOf = (require: NodeJS.Require): LevelConstructor => createRequire(require.resolve('dynalite'))('level').Level

/**
 * Opens dynalite's files and closes them again: dynalite itself opens them only at the first request,
 * and then nothing reports why they do not open.
 *
 * A table whose creation was interrupted by `kill -9` stays in status CREATING: it accepts no
 * request, and dynalite does not delete it. It has no items, so it is removed here, and created again.
 *
 * @throws Error with LevelDB's own reason.
 */
export const checkFiles = async (require: NodeJS.Require, folder: string): Promise<void> => {
  const Level = levelOf(require)
  const level = new Level(folder)
  await level.open().catch((error: Error) => {
    throw error.cause ?? error
  })
  for await (const [key, value] of level.iterator({ gte: 'table~', lt: 'table~\u{ff}' })) {
    if (JSON.parse(value).TableStatus !== 'ACTIVE') await level.del(key)
  }
  await level.close()
}

/**
 * Ends the thread at the first write that fails, before another write is acknowledged. After an incomplete
 * record LevelDB continues to write to the same file, but cannot read what follows that record when it opens
 * the file again. After a restart it continues in another file.
 */
export const endWithFailedWrite = (require: NodeJS.Require): void => {
  const { prototype } = levelOf(require)
  for (const name of ['_put', '_del', '_batch']) {
    const write: unknown = Reflect.get(prototype, name)
    if (typeof write !== 'function') throw new Error(`LevelDB has no ${name}.`)
    Reflect.set(prototype, name, function (this: Level, ...parameters: unknown[]): Promise<void> {
      return write.apply(this, parameters).catch((error: Error) => {
        process.nextTick(() => {
          throw error
        })
        throw error
      })
    })
  }
}

/**
 * Lets dynalite's streams close their iterators. They call `return`, which LevelDB's iterators do not have,
 * so each Query would leave one open, with its files and memory.
 */
export const closeIteratorsWithStreams = (require: NodeJS.Require): void => {
  const { prototype } = levelOf(require)
  for (const name of ['keys', 'values']) {
    const iterate: unknown = Reflect.get(prototype, name)
    if (typeof iterate !== 'function') throw new Error(`LevelDB has no ${name}.`)
    Reflect.set(prototype, name, function (this: Level, range: object): object {
      const iterator = iterate.call(this, range)
      return Object.assign(iterator, { return: () => iterator.close() })
    })
  }
}
