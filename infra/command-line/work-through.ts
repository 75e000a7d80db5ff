import { setTimeout as sleep } from 'node:timers/promises'

const atOnce = 32

interface Limits {
  /** Items a second, at most. Unused time is not made up for. */
  readonly perSecond?: number | undefined
  /** Once it is aborted, no further item is begun. */
  readonly signal?: AbortSignal | undefined
}

/** Works on items, some at a time. After a failure it begins no more, waits for those under way, and throws it. */
export const workThrough = async <Item>(
  items: Iterable<Item> | AsyncIterable<Item>,
  work: (item: Item) => Promise<unknown>,
  { perSecond = Number.POSITIVE_INFINITY, signal }: Limits = {},
): Promise<void> => {
  const queue = Symbol.asyncIterator in items ? items[Symbol.asyncIterator]() : items[Symbol.iterator]()
  const failures: unknown[] = []
  let turn = 0
  const worker = async (): Promise<void> => {
    for (;;) {
      const wait = turn - performance.now()
      turn = Math.max(turn, performance.now()) + 1_000 / perSecond
      if (wait > 0) await sleep(wait, undefined, { signal }).catch(() => undefined)
      if (failures.length > 0 || signal?.aborted === true) return
      const next = await queue.next()
      if (next.done === true) return
      await work(next.value)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, () => worker().catch((error: unknown) => failures.push(error))))
  await queue.return?.()
  if (failures.length > 0) throw failures[0]
}
