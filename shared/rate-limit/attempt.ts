import type { ApiKeyRecord } from '../api-keys/api-key-record.ts'
import type { ItemKey } from '../api-keys/shards.ts'
import { isThrottled } from '../dynamodb/store-errors.ts'
import type { RequestCounter } from './counter.ts'
import { judge } from './verdict.ts'

/** What one item makes of a request. It is counted where it is admitted. */
export type Attempt =
  /** There is no such item, or it is not to be used. */
  | { readonly kind: 'invalid' }
  | { readonly kind: 'admitted' | 'banned' | 'exhausted'; readonly record: ApiKeyRecord }
  /** The item takes no writes at the moment, though it may have room. */
  | { readonly kind: 'throttled'; readonly record: ApiKeyRecord }

/**
 * Has an item count a request, at a time in milliseconds. The usual request costs one write, the first of a new window
 * two.
 *
 * @throws Error when the store is away, also where it only takes no writes: `attemptByReading` is for that.
 */
export const attempt = async (counter: RequestCounter, item: ItemKey, now: number): Promise<Attempt> => {
  let written = await counter.count(item, now)
  for (let turn = 0; turn < mostTurns; turn += 1) {
    if (written.done) return { kind: 'admitted', record: written.record }
    if (written.record === undefined) return { kind: 'invalid' }
    const { record } = written
    const verdict = judge(record, now)
    switch (verdict.kind) {
      case 'invalid':
        return verdict
      case 'banned':
      case 'exhausted':
        return { kind: verdict.kind, record }
      case 'passed':
        written = await counter.rollOver(item, record, verdict.windows, now)
        break
      case 'open':
        written = await counter.count(item, now)
    }
  }
  throw new Error('The record of an API key kept changing while a request was counted.')
}

/** Of many requests at once that find a window passed, one opens the new one and the others count in it: two turns. */
const mostTurns = 5

/**
 * What an item that takes no writes would make of a request. Reads are throttled apart from writes; where they are
 * too, what was seen last has to do.
 */
export const attemptByReading = async (
  counter: RequestCounter,
  item: ItemKey,
  seen: ApiKeyRecord | undefined,
  now: number,
): Promise<Attempt> => {
  const record = await counter.read(item).catch((error: unknown) => {
    if (!isThrottled(error) || seen === undefined) throw error
    return seen
  })
  if (record === undefined) return { kind: 'invalid' }
  const verdict = judge(record, now)
  switch (verdict.kind) {
    case 'invalid':
      return verdict
    case 'banned':
    case 'exhausted':
      return { kind: verdict.kind, record }
    case 'passed':
    case 'open':
      return { kind: 'throttled', record }
  }
}
