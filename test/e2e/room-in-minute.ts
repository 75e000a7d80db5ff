import { setTimeout } from 'node:timers/promises'

/** Waits, if need be, for a minute that has so many seconds left: a window must not roll over within a test. */
export const roomInMinute = async (seconds: number): Promise<void> => {
  const left = 60 - ((Date.now() / 1_000) % 60)
  if (left < seconds) await setTimeout((left + 0.5) * 1_000)
}
