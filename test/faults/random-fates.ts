import type { Fate, Fault } from './fault-proxy.ts'

/** How many of a thousand calls meet each fault: 200 in all. Those that cost a second of waiting are the fewest. */
const perThousand: Readonly<Record<Fault, number>> = {
  throttled: 38,
  'internal error': 38,
  'request lost': 38,
  'answer lost': 40,
  'half an answer': 40,
  'stalled answer': 3,
  'no answer': 3,
}

/** Decides on call after call by a seed, so that the same run meets the same fates in the same order. */
export const randomFates = (seed: number): (() => Fate) => {
  const random = mulberry32(seed)
  const entries = Object.entries(perThousand) as [Fault, number][]
  return () => {
    let left = random() * 1_000
    for (const [fault, share] of entries) {
      left -= share
      if (left < 0) return { fault }
    }
    return {}
  }
}

/** Tommy Ettinger's mulberry32: 32 bits of state, numbers from 0 up to 1. */
export const mulberry32 = (seed: number): (() => number) => {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
