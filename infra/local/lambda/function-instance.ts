import { randomUUID } from 'node:crypto'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { Worker } from 'node:worker_threads'
import type { LambdaFunction } from '../template/environment-template.ts'
import { functionArn } from '../template/physical-names.ts'
import type { HostedFunction, InvocationOutcome, InvocationRequest, ThreadMessage } from './invocation.ts'
import { runtimeEnvironment } from './runtime-environment.ts'

interface InstanceOptions {
  readonly databaseEndpoint: string
  /** Takes each line that the function writes to its standard output and its standard error. */
  readonly writeLine: (line: string) => void
}

/** Lambda gives a function this long to load its module, apart from its timeout. */
const loadMilliseconds = 10_000

/** Lambda's maximum: 6 MB and 100 bytes. */
const maximumResultBytes = 6 * 1024 * 1024 + 100

/** One instance of a function: it takes one invocation at a time, and may take many in its life. */
export class FunctionInstance {
  readonly #thread: Worker
  readonly #timeoutMilliseconds: number
  readonly #loaded: Promise<ThreadMessage>
  #isAlive = true
  /** Takes the next message of the thread: that it has loaded, how an invocation ended, or its own end. */
  #listener: (message: ThreadMessage) => void = () => {}

  constructor(lambda: LambdaFunction, options: InstanceOptions) {
    this.#timeoutMilliseconds = lambda.timeoutMilliseconds
    this.#thread = startThread(lambda, options)
    this.#thread.on('message', (message: ThreadMessage) => this.#listener(message))
    this.#thread.on('error', (error: Error) => this.#endWith(error.name, error.message, error.stack))
    this.#thread.on('exit', (code) =>
      this.#endWith('Runtime.ExitError', `The function's process ended with exit code ${code}.`),
    )
    this.#loaded = this.#nextMessage(loadMilliseconds)
  }

  /** False once its thread has ended; then it must not be used again. */
  get isAlive(): boolean {
    return this.#isAlive
  }

  async invoke(event: string): Promise<InvocationOutcome> {
    // Only an invocation keeps the process running, an idle instance does not.
    this.#thread.ref()
    const outcome = await this.#run(event)
    this.#thread.unref()
    return outcome
  }

  async end(): Promise<void> {
    this.#isAlive = false
    await this.#thread.terminate()
  }

  async #run(event: string): Promise<InvocationOutcome> {
    const load = await this.#loaded
    if (load.kind === 'error') {
      await this.end()
      return load
    }
    const nextMessage = this.#nextMessage(this.#timeoutMilliseconds)
    const deadline = Date.now() + this.#timeoutMilliseconds
    this.#thread.postMessage({ requestId: randomUUID(), event, deadline } satisfies InvocationRequest)
    const message = await nextMessage
    if (message.kind === 'loaded') throw new Error('A function instance loads once.')
    return message.kind === 'result' && Buffer.byteLength(message.payload) > maximumResultBytes ? tooLong : message
  }

  async #nextMessage(milliseconds: number): Promise<ThreadMessage> {
    const { promise, resolve } = Promise.withResolvers<ThreadMessage>()
    this.#listener = resolve
    const timer = setTimeout(() => {
      // This ends the thread even in an endless loop. The next invocation starts another instance.
      this.#endWith('Sandbox.Timedout', `Task timed out after ${(milliseconds / 1_000).toFixed(2)} seconds`)
      void this.end()
    }, milliseconds)
    const message = await promise
    clearTimeout(timer)
    return message
  }

  #endWith(errorType: string, errorMessage: string, stack?: string): void {
    this.#isAlive = false
    this.#listener({ kind: 'error', errorType, errorMessage, stack })
  }
}

/**
 * For each thread. V8 would let each young generation grow to 192 MB, and does not give memory back.
 */
const maxYoungGenerationSizeMb = 12

const startThread = (lambda: LambdaFunction, { databaseEndpoint, writeLine }: InstanceOptions): Worker => {
  const thread = new Worker(new URL('./instance-thread.ts', import.meta.url), {
    workerData: { ...lambda, arn: functionArn(lambda.name) } satisfies HostedFunction,
    env: runtimeEnvironment(lambda, databaseEndpoint),
    resourceLimits: { maxOldGenerationSizeMb: lambda.memoryMegabytes, maxYoungGenerationSizeMb },
    stdout: true,
    stderr: true,
    // The process's own flags, such as a test runner's, are not for functions.
    execArgv: [],
  })
  forwardLines(thread.stdout, writeLine)
  forwardLines(thread.stderr, writeLine)
  return thread
}

const tooLong: InvocationOutcome = {
  kind: 'error',
  errorType: 'Function.ResponseSizeTooLarge',
  errorMessage: `Response payload size exceeded maximum allowed payload size (${maximumResultBytes} bytes).`,
  stack: undefined,
}

const forwardLines = (stream: Readable, writeLine: (line: string) => void): void => {
  createInterface({ input: stream }).on('line', writeLine)
}
