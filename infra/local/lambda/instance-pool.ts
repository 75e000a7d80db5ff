import type { FunctionInstance } from './function-instance.ts'
import type { InvocationOutcome } from './invocation.ts'

/** The instances of one function. */
export interface InstancePool {
  invoke(event: string): Promise<InvocationOutcome>
  /** Ends each instance as soon as it is idle: newer code has replaced this one. */
  retire(): void
  close(): Promise<void>
}

/**
 * Reuses an idle instance, else starts one, up to a maximum; more invocations wait. (Lambda has a
 * maximum too, the account's concurrency, and throttles more.)
 */
export const createInstancePool = (start: () => FunctionInstance, maximumInstances: number): InstancePool => {
  const busy = new Set<FunctionInstance>()
  const waiting: (() => void)[] = []
  let idle: FunctionInstance[] = []
  let isRetired = false

  const endIdle = async (): Promise<void> => {
    await Promise.all(idle.splice(0).map((instance) => instance.end()))
  }
  return {
    invoke: async (event) => {
      while (busy.size >= maximumInstances) await new Promise<void>((resolve) => waiting.push(resolve))
      idle = idle.filter(({ isAlive }) => isAlive)
      // The most recently used one: its code and its connections are warm.
      const instance = idle.pop() ?? start()
      busy.add(instance)
      const outcome = await instance.invoke(event)
      busy.delete(instance)
      idle.push(instance)
      if (isRetired && waiting.length === 0) void endIdle()
      waiting.shift()?.()
      return outcome
    },
    retire: () => {
      isRetired = true
      void endIdle()
    },
    close: async () => {
      // Whoever still waits has lost its connection, and must not start an instance any more.
      waiting.length = 0
      idle.push(...busy)
      await endIdle()
    },
  }
}
