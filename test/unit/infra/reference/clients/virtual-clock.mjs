/**
 * Preloaded into an example that polls: `node --import ./virtual-clock.mjs example.ts`. The clock advances only during
 * waits, which end at once. The third wait ends the program.
 */
import { syncBuiltinESMExports } from 'node:module'
import timers from 'node:timers/promises'

let nowMilliseconds = 0
let waits = 0

performance.now = () => nowMilliseconds
timers.setTimeout = async (milliseconds) => {
  waits += 1
  if (waits === 3) process.exit()
  nowMilliseconds += milliseconds
}
syncBuiltinESMExports()
