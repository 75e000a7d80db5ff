import { availableParallelism } from 'node:os'
import { sep } from 'node:path'
import type { LambdaFunction } from '../template/environment-template.ts'
import { FunctionInstance, type InvocationOutcome } from './function-instance.ts'

export type FunctionHost = ReturnType<typeof createFunctionHost>

/** What Lambda is to API Gateway. */
export type FunctionInvoker = Pick<FunctionHost, 'invoke' | 'report'>

interface FunctionHostOptions {
  readonly functions: ReadonlyMap<string, LambdaFunction>
  readonly databaseEndpoint: string
  /** Takes each line that a function writes. */
  readonly writeLine: (line: string) => void
}

export const createFunctionHost = (options: FunctionHostOptions) => {
  const { functions, databaseEndpoint, writeLine } = options
  // Lambda's: a thread has the time zone of its process.
  process.env['TZ'] = 'UTC'
  const hosted = new Map(
    [...functions].map(([functionName, lambda]) => {
      // The paths of a bundle's source map begin at the repository's root, which Node.js takes for the bundle's folder.
      const write = (line: string) => writeLine(`[${functionName}] ${line.replaceAll(`${lambda.folder}${sep}`, '')}`)
      const pool = new InstancePool(() => new FunctionInstance(lambda, databaseEndpoint, write))
      return [functionName, { pool, write }] as const
    }),
  )
  const find = (functionName: string) => {
    const found = hosted.get(functionName)
    if (found === undefined) throw new Error(`There is no function ${functionName}.`)
    return found
  }
  return {
    /** @param event the text of a JSON object */
    invoke: async (functionName: string, event: string) => find(functionName).pool.invoke(event),
    /** Writes a problem of a function to its log, for whoever runs the environment. */
    report: (functionName: string, problem: string): void => find(functionName).write(problem),
    /** Ends each instance as soon as it is idle. */
    close: async (): Promise<void> => {
      await Promise.all([...hosted.values()].map(({ pool }) => pool.close()))
    },
  }
}

/** More threads than processors are no faster and take memory. A second one lets two requests of a kind meet in any case. */
const maximumInstances = Math.max(2, availableParallelism())

/**
 * The instances of one function: an idle one is reused, else one is started, up to a maximum; more invocations wait.
 * (Lambda has a maximum too, the account's concurrency, and throttles more.)
 */
class InstancePool {
  readonly #start: () => FunctionInstance
  readonly #busy = new Set<FunctionInstance>()
  readonly #waiting: (() => void)[] = []
  readonly #idle: FunctionInstance[] = []
  #isClosed = false

  constructor(start: () => FunctionInstance) {
    this.#start = start
  }

  async invoke(event: string): Promise<InvocationOutcome> {
    while (this.#busy.size >= maximumInstances) await new Promise<void>((resolve) => this.#waiting.push(resolve))
    // The most recently used one: its code and its connections are warm. It may have ended since.
    let instance = this.#idle.pop() ?? this.#start()
    while (!instance.isAlive) instance = this.#idle.pop() ?? this.#start()
    this.#busy.add(instance)
    const outcome = await instance.invoke(event)
    this.#busy.delete(instance)
    if (instance.isAlive) this.#idle.push(instance)
    this.#waiting.shift()?.()
    if (this.#isClosed) void this.close()
    return outcome
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await Promise.all(this.#idle.splice(0).map((instance) => instance.end()))
  }
}
