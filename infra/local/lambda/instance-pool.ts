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
  const instances = new Set<FunctionInstance>()
  const idle: FunctionInstance[] = []
  const waiting: ((instance: FunctionInstance) => void)[] = []
  let isRetired = false

  const startOne = (): FunctionInstance => {
    const instance = start()
    instances.add(instance)
    return instance
  }

  const end = async (instance: FunctionInstance): Promise<void> => {
    instances.delete(instance)
    await instance.end()
  }

  const take = async (): Promise<FunctionInstance> => {
    // The most recently used one: its code and its connections are warm.
    const instance = idle.pop()
    if (instance?.isAlive) return instance
    if (instance !== undefined) {
      instances.delete(instance)
      return take()
    }
    if (instances.size < maximumInstances) return startOne()
    return new Promise((resolve) => waiting.push(resolve))
  }

  const giveBack = (instance: FunctionInstance): void => {
    if (!instance.isAlive) instances.delete(instance)
    const next = waiting.shift()
    if (next !== undefined) next(instance.isAlive ? instance : startOne())
    else if (isRetired) void end(instance)
    else if (instance.isAlive) idle.push(instance)
  }

  return {
    invoke: async (event) => {
      const instance = await take()
      const outcome = await instance.invoke(event)
      giveBack(instance)
      return outcome
    },
    retire: () => {
      isRetired = true
      for (const instance of idle.splice(0)) void end(instance)
    },
    close: async () => {
      // Whoever still waits has lost its connection, and must not start an instance any more.
      waiting.length = 0
      await Promise.all([...instances].map(end))
    },
  }
}
