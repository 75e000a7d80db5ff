import { availableParallelism } from 'node:os'
import { dirname, sep } from 'node:path'
import type { LambdaFunction } from '../template/environment-template.ts'
import { FunctionInstance, type InvocationOutcome } from './function-instance.ts'

export type FunctionHost = ReturnType<typeof createFunctionHost>

/** The part of a host that API Gateway uses. */
export type FunctionInvoker = Pick<FunctionHost, 'invoke' | 'report'>

interface FunctionHostOptions {
  /** Functions by name. */
  readonly functions: ReadonlyMap<string, LambdaFunction>
  readonly databaseEndpoint: string
  /** Writes one line of a function's log. */
  readonly writeLine: (line: string) => void
}

/**
 * Hosts functions, as Lambda does. Lambda starts up to a thousand instances and throttles further invocations; here a
 * function has as many instances as there are processors, and further invocations wait. Idle instances are not frozen.
 */
export const createFunctionHost = (options: FunctionHostOptions) => {
  const { functions, databaseEndpoint, writeLine } = options

  const hostFunction = (functionName: string, lambda: LambdaFunction) => {
    // The paths in a source map begin at the root of the repository. Node.js puts the folder of the map before them:
    // without that folder, the log has the paths of the repository.
    const mapFolder = dirname(lambda.sourceMap ?? lambda.folder)
    const removeMapFolder = (line: string) => line.replaceAll(`${mapFolder}${sep}`, '')
    const write = (line: string) => writeLine(`[${functionName}] ${removeMapFolder(line)}`)
    const pool = new InstancePool(() => new FunctionInstance(lambda, databaseEndpoint, write))
    return { pool, write }
  }
  const hostedFunctions = new Map([...functions].map(([name, lambda]) => [name, hostFunction(name, lambda)]))

  const findFunction = (functionName: string) => {
    const hostedFunction = hostedFunctions.get(functionName)
    if (hostedFunction === undefined) throw new Error(`There is no function ${functionName}.`)
    return hostedFunction
  }

  return {
    /**
     * Invokes a function. Example: `await invoke('get-pet', '{"pathParameters": {"petId": "1"}}')`.
     *
     * @param event text of a JSON object
     */
    invoke: async (functionName: string, event: string) => findFunction(functionName).pool.invoke(event),

    /** Writes a problem to the log of a function. */
    report: (functionName: string, problem: string): void => findFunction(functionName).write(problem),

    /** Ends each instance as soon as it is idle. */
    close: async (): Promise<void> => {
      await Promise.all([...hostedFunctions.values()].map(({ pool }) => pool.close()))
    },
  }
}

/**
 * Maximum number of instances of one function. More threads than processors are no faster and take memory. On one
 * processor there are two, so that two requests to one function can run at the same time.
 */
const maximumInstances = Math.max(2, availableParallelism())

/** The instances of one function. An invocation takes an idle instance, or else starts one, up to the maximum. */
class InstancePool {
  readonly #startInstance: () => FunctionInstance
  readonly #busy = new Set<FunctionInstance>()
  readonly #idle: FunctionInstance[] = []
  /** Resumes each invocation that waits for an instance, in the order of arrival. */
  readonly #waiting: (() => void)[] = []
  #isClosed = false

  constructor(startInstance: () => FunctionInstance) {
    this.#startInstance = startInstance
  }

  async invoke(event: string): Promise<InvocationOutcome> {
    while (this.#busy.size >= maximumInstances) {
      await new Promise<void>((resolve) => this.#waiting.push(resolve))
    }

    const instance = this.#removeIdleInstance() ?? this.#startInstance()
    this.#busy.add(instance)
    const outcome = await instance.invoke(event)
    this.#busy.delete(instance)

    if (instance.isAlive) this.#idle.push(instance)
    this.#waiting.shift()?.()
    if (this.#isClosed) void this.close()
    return outcome
  }

  /**
   * Removes the most recently used instance from the idle ones, because its code and connections are warm. Instances
   * that have ended are dropped.
   */
  #removeIdleInstance(): FunctionInstance | undefined {
    let instance = this.#idle.pop()
    while (instance !== undefined && !instance.isAlive) instance = this.#idle.pop()
    return instance
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await Promise.all(this.#idle.splice(0).map((instance) => instance.end()))
  }
}
