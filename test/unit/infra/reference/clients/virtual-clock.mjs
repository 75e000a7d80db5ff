/**
 * Preloaded into an example that polls: `node --import ./virtual-clock.mjs example.ts`. The clock advances only during
 * the waits between polls, which end at once. The third wait ends the program.
 */
const setRealTimeout = globalThis.setTimeout
const shortestWaitMilliseconds = 60_000

let nowMilliseconds = 0
let waits = 0

performance.now = () => nowMilliseconds
globalThis.setTimeout = (callback, milliseconds) => {
  // Time limits of requests are shorter.
  if (milliseconds < shortestWaitMilliseconds) return setRealTimeout(callback, milliseconds)
  waits += 1
  if (waits === 3) process.exit()
  nowMilliseconds += milliseconds
  return setRealTimeout(callback, 0)
}
