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
  const failure = new AbortController()
  const queue = paced(items, perSecond, AbortSignal.any([failure.signal, ...(signal === undefined ? [] : [signal])]))
  const fail = (error: unknown): void => failure.abort(error)
  const worker = async (): Promise<void> => {
    // An error that left the loop would first wait for its turn at the queue, behind all other workers.
    for await (const item of queue) await work(item).catch(fail)
  }
  await Promise.all(Array.from({ length: atOnce }, () => worker().catch(fail)))
  failure.signal.throwIfAborted()
}

async function* paced<Item>(items: Iterable<Item> | AsyncIterable<Item>, perSecond: number, signal: AbortSignal) {
  let turn = 0
  for await (const item of items) {
    const wait = turn - performance.now()
    turn = Math.max(turn, performance.now()) + 1_000 / perSecond
    if (wait > 0) await sleep(wait, undefined, { signal }).catch(() => undefined)
    if (signal.aborted) return
    yield item
  }
}
