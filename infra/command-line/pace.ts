import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Delays work so that it keeps to a rate. Unused time is not made up for.
 *
 * @param rate pets a second, at most; undefined for no limit
 * @param signal ends every delay
 */
export const pace = (rate: number | undefined, signal: AbortSignal): ((pets: number) => Promise<void>) => {
  let free = 0
  return async (pets) => {
    if (rate === undefined) return
    const now = performance.now()
    const start = Math.max(now, free)
    free = start + (pets / rate) * 1_000
    if (start > now) await sleep(start - now, undefined, { signal }).catch(() => {})
  }
}
