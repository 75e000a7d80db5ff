import { availableParallelism } from 'node:os'
import type { LambdaFunction } from '../template/environment-template.ts'
import { FunctionInstance } from './function-instance.ts'
import { createInstancePool, type InstancePool } from './instance-pool.ts'
import type { InvocationOutcome } from './invocation.ts'

/** What Lambda is to API Gateway. */
export interface FunctionInvoker {
  /** @param event the text of a JSON object */
  invoke(functionName: string, event: string): Promise<InvocationOutcome>
  /** Writes a problem of a function to its log, for whoever runs the environment. */
  report(functionName: string, problem: string): void
}

export interface FunctionHost extends FunctionInvoker {
  /** Ends each instance as soon as it is idle. */
  retire(): void
  close(): Promise<void>
}

interface FunctionHostOptions {
  readonly functions: ReadonlyMap<string, LambdaFunction>
  readonly databaseEndpoint: string
  /** Takes each line that a function writes, with the function's name. */
  readonly writeLine: (functionName: string, line: string) => void
}

/** More threads than processors are no faster and take memory. A second one lets two requests of a kind meet in any case. */
const maximumInstances = Math.max(2, availableParallelism())

export const createFunctionHost = (options: FunctionHostOptions): FunctionHost => {
  const pools = new Map<string, InstancePool>()
  for (const lambda of options.functions.values()) {
    const start = () =>
      new FunctionInstance(lambda, {
        databaseEndpoint: options.databaseEndpoint,
        writeLine: (line) => options.writeLine(lambda.name, line),
      })
    pools.set(lambda.name, createInstancePool(start, maximumInstances))
  }
  return {
    invoke: async (functionName, event) => {
      const pool = pools.get(functionName)
      if (pool === undefined) throw new Error(`There is no function ${functionName}.`)
      return pool.invoke(event)
    },
    report: options.writeLine,
    retire: () => {
      for (const pool of pools.values()) pool.retire()
    },
    close: async () => {
      await Promise.all([...pools.values()].map((pool) => pool.close()))
    },
  }
}
