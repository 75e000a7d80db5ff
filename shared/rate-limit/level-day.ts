import type { RequestCounter } from './counter.ts'
import type { KnownKey } from './known-key.ts'
import { type Standing, standingOf } from './standing.ts'

/**
 * Shards are used at random, so towards the end of the day's limit one may have used up its share of the day while
 * another, whose minute is used up, has some left. Then a key with room in both windows would be refused. This moves a
 * part of the day's count from the first to the second. It is added there before it is taken here: should the instance
 * end in between, or another one level at the same time, less may be let through that day, never more.
 *
 * @returns the shard that has room now, if there is one
 */
export const levelDay = async (counter: RequestCounter, key: KnownKey, now: number): Promise<number | undefined> => {
  const shards = key.items.flatMap((item, index) => {
    const record = key.seen(index)
    return record === undefined ? [] : [{ item, index, record, ...standingOf(record, now) }]
  })
  const taker = shards.find(({ minute, day }) => day.remaining === 0 && minute.remaining > 0)
  const giver = shards.filter(hasSpareDay).toSorted((one, other) => other.day.remaining - one.day.remaining)[0]
  if (taker === undefined || giver === undefined) return undefined
  if (taker.record.dayWindow !== giver.record.dayWindow) return undefined
  const requests = Math.min(giver.day.remaining, taker.minute.remaining)
  const given = await counter.shiftDay(giver.item, giver.record, requests)
  if (given.record === undefined) return undefined
  key.see(giver.index, given.record, now)
  // Its minute is used up, so another instance has levelled, and most likely for the same shard.
  if (!given.done) return taker.index
  const taken = await counter.shiftDay(taker.item, taker.record, -requests)
  if (taken.record === undefined) return undefined
  key.see(taker.index, taken.record, now)
  return taker.index
}

const hasSpareDay = ({ minute, day }: Standing): boolean => minute.remaining === 0 && day.remaining > 0
