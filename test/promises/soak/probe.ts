import type { Worker } from 'node:worker_threads'

/**
 * Loaded into the process of the environment before anything else: it tells its memory to the process that
 * started it. The main thread's is taken after a garbage collection; the other threads, of the functions
 * and the database, collect when they like.
 */
const everyMilliseconds = 5_000

export interface MemoryMessage {
  /** Bytes, as all. */
  readonly rss: number
  readonly mainHeap: number
  readonly threadHeaps: number
}

const threads = new Set<Worker>()
process.on('worker', (thread) => {
  threads.add(thread)
  thread.once('exit', () => threads.delete(thread))
})

const usedBy = async (thread: Worker): Promise<number> => {
  try {
    return (await thread.getHeapStatistics()).used_heap_size
  } catch {
    // It has ended meanwhile.
    return 0
  }
}

const tell = async (): Promise<void> => {
  const heaps = await Promise.all([...threads].map(usedBy))
  globalThis.gc?.()
  const { heapUsed, rss } = process.memoryUsage()
  const threadHeaps = heaps.reduce((sum, heap) => sum + heap, 0)
  process.send?.({ rss, mainHeap: heapUsed, threadHeaps } satisfies MemoryMessage)
}

setInterval(() => void tell(), everyMilliseconds).unref()
process.channel?.unref()
