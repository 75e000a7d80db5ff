/**
 * Loaded into the process of the environment before anything else: it tells its memory to the process that
 * started it, after a garbage collection, so that what counts is what is still in use.
 */
const everyMilliseconds = 5_000

export interface MemoryMessage {
  /** Bytes. */
  readonly heapUsed: number
  readonly rss: number
}

setInterval(() => {
  globalThis.gc?.()
  const { heapUsed, rss } = process.memoryUsage()
  process.send?.({ heapUsed, rss } satisfies MemoryMessage)
}, everyMilliseconds).unref()
process.channel?.unref()
