import { seededRandom } from '../../fixtures/seeded-random.ts'
import type { Fate, Fault } from './fault-proxy.ts'

/** How many of a thousand calls meet each fault: 200 in all. Those that cost a second of waiting are the fewest. */
const perThousand: Readonly<Record<Fault, number>> = {
  throttled: 38,
  'internal error': 38,
  'request lost': 38,
  'response lost': 40,
  'half a response': 40,
  'stalled response': 3,
  'no response': 3,
}

/** Decides on call after call by a seed, so that the same run meets the same fates in the same order. */
export const randomFates = (seed: number): (() => Fate) => {
  const random = seededRandom(seed)
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
