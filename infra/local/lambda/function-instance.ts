import { randomUUID } from 'node:crypto'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { Worker } from 'node:worker_threads'
import type { LambdaFunction } from '../template/functions.ts'
import { functionArn } from '../template/physical-names.ts'
import type { FunctionSettings, InvocationOutcome, InvocationRequest, ThreadMessage } from './invocation.ts'
import { runtimeEnvironment } from './runtime-environment.ts'

/** One instance of a function: it takes one invocation at a time, and may take many in its life. */
export interface FunctionInstance {
  /** False once its thread has ended; then it must not be used again. */
  readonly isAlive: boolean
  invoke(event: string): Promise<InvocationOutcome>
  end(): Promise<void>
}

export interface InstanceOptions {
  readonly databaseEndpoint: string
  /** Gets each line that the function writes to its standard output and its standard error. */
  readonly writeLine: (line: string) => void
}

/** Lambda gives a function this long to load its module, apart from its timeout. */
const loadMilliseconds = 10_000

/** Lambda refuses a result of more than 6 MB. */
const longestResult = 6 * 1024 * 1024

export const startFunctionInstance = (lambda: LambdaFunction, options: InstanceOptions): FunctionInstance => {
  const settings: FunctionSettings = {
    name: lambda.name,
    arn: functionArn(lambda.name),
    folder: lambda.folder,
    handler: lambda.handler,
    memoryMegabytes: lambda.memoryMegabytes,
  }
  const thread = new Worker(new URL('./instance-thread.ts', import.meta.url), {
    workerData: settings,
    env: runtimeEnvironment(lambda, options.databaseEndpoint),
    resourceLimits: { maxOldGenerationSizeMb: lambda.memoryMegabytes },
    stdout: true,
    stderr: true,
    // The process's own flags, such as a test runner's, are not for functions.
    execArgv: [],
  })
  forwardLines(thread.stdout, options.writeLine)
  forwardLines(thread.stderr, options.writeLine)

  let isAlive = true
  /** Takes what the thread tells next: that it has loaded, how an invocation ended, or its end. */
  let listener: (message: ThreadMessage) => void = () => {}
  const endWith = (errorType: string, errorMessage: string, stack?: string): void => {
    isAlive = false
    listener({ kind: 'error', errorType, errorMessage, stack })
  }
  thread.on('message', (message: ThreadMessage) => listener(message))
  thread.on('error', (error: Error) => endWith(error.name, error.message, error.stack))
  thread.on('exit', (code) => endWith('Runtime.ExitError', `The function's process ended with exit code ${code}.`))

  const nextMessage = (): Promise<ThreadMessage> =>
    new Promise((resolve) => {
      listener = resolve
    })
  const within = async (milliseconds: number, message: Promise<ThreadMessage>): Promise<ThreadMessage> => {
    const timer = setTimeout(() => {
      // A timeout ends the thread even in an endless loop. The next invocation starts a new one.
      endWith('Sandbox.Timedout', `Task timed out after ${(milliseconds / 1_000).toFixed(2)} seconds`)
      void thread.terminate()
    }, milliseconds)
    const settled = await message
    clearTimeout(timer)
    return settled
  }

  const loaded = within(loadMilliseconds, nextMessage())

  const run = async (event: string): Promise<InvocationOutcome> => {
    const load = await loaded
    if (load.kind === 'error') {
      isAlive = false
      await thread.terminate()
      return load
    }
    const deadline = Date.now() + lambda.timeoutMilliseconds
    const answered = within(lambda.timeoutMilliseconds, nextMessage())
    thread.postMessage({ requestId: randomUUID(), event, deadline } satisfies InvocationRequest)
    const answer = await answered
    if (answer.kind === 'loaded') throw new Error('A function instance loads once.')
    return answer.kind === 'result' && Buffer.byteLength(answer.payload) > longestResult ? tooLong : answer
  }

  return {
    get isAlive() {
      return isAlive
    },
    invoke: async (event) => {
      // Only an invocation keeps the process running, an idle instance does not.
      thread.ref()
      const outcome = await run(event)
      thread.unref()
      return outcome
    },
    end: async () => {
      isAlive = false
      await thread.terminate()
    },
  }
}

const tooLong: InvocationOutcome = {
  kind: 'error',
  errorType: 'Function.ResponseSizeTooLarge',
  errorMessage: 'Response payload size exceeded maximum allowed payload size (6291556 bytes).',
  stack: undefined,
}

const forwardLines = (stream: Readable, writeLine: (line: string) => void): void => {
  createInterface({ input: stream }).on('line', writeLine)
}
