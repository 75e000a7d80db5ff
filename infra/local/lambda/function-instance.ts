import { devNull } from 'node:os'
import { createInterface } from 'node:readline'
import { Worker } from 'node:worker_threads'
import { localCredentials, localRegion } from '../../commands/environment/local-database.ts'
import type { LambdaFunction } from '../template/environment-template.ts'

/** The outcome of one invocation. Events and results are JSON texts, as on Lambda. */
export type InvocationOutcome =
  | { readonly kind: 'result'; readonly payload: string }
  /** A function error: the function threw, ran out of time or memory, or could not be loaded. */
  | { readonly kind: 'error'; readonly message: string; readonly log: string }

/** Time that Lambda allows for loading a function's module, in addition to the function's timeout. */
const loadMilliseconds = 10_000

/**
 * One instance of a function. It runs one invocation at a time, and many in its life.
 *
 * An instance on Lambda is a process in a virtual machine of its own. Here it is a thread with its own environment and
 * its own limits of memory; an instance that is idle is not frozen.
 */
export class FunctionInstance {
  readonly #thread: Worker
  readonly #timeoutMilliseconds: number
  /** Outcome of loading the bundle. */
  readonly #loaded: Promise<InvocationOutcome>
  /** The outcome of every invocation after the thread has ended; undefined while the thread runs. */
  #failure: InvocationOutcome | undefined
  /** Receives the outcome of the load, and later of the current invocation. The constructor sets the first one. */
  #listener: (outcome: InvocationOutcome) => void = () => {}

  constructor(lambda: LambdaFunction, databaseEndpoint: string, writeLine: (line: string) => void) {
    this.#timeoutMilliseconds = lambda.timeoutMilliseconds
    this.#thread = new Worker(new URL('./instance-thread.ts', import.meta.url), {
      workerData: lambda,
      env: createRuntimeVariables(lambda, databaseEndpoint),
      resourceLimits: {
        maxOldGenerationSizeMb: lambda.memoryMegabytes,
        // V8 would let each young generation grow to 192 MB, and does not return its memory.
        maxYoungGenerationSizeMb: 12,
        // On Lambda a function runs in a process, whose stack is this small. A thread's is 4 MB by default.
        stackSizeMb: 1.2,
      },
      stdout: true,
      stderr: true,
      // These flags replace those of the process, such as a test runner's. With source maps, stacks name the sources.
      execArgv: ['--enable-source-maps'],
    })
    createInterface({ input: this.#thread.stdout }).on('line', writeLine)
    createInterface({ input: this.#thread.stderr }).on('line', writeLine)

    this.#thread.on('message', (outcome: InvocationOutcome) => this.#listener(outcome))
    this.#thread.on('error', (error) => this.#fail(error))
    this.#thread.on('exit', (code) => this.#fail({ message: `The function's process ended with exit code ${code}.` }))
    // The timer of an invocation keeps the process running. An idle instance does not.
    this.#thread.unref()
    this.#loaded = this.#waitForOutcome(loadMilliseconds)
  }

  /** Whether the instance can be used again; false after its thread has ended. */
  get isAlive(): boolean {
    return this.#failure === undefined
  }

  async invoke(event: string): Promise<InvocationOutcome> {
    await this.#loaded
    // Either the bundle did not load, or the thread has ended since, which the host may learn before it continues here.
    if (this.#failure !== undefined) return this.#failure

    const outcome = this.#waitForOutcome(this.#timeoutMilliseconds)
    this.#thread.postMessage(event)
    return outcome
  }

  async end(): Promise<void> {
    this.#fail({ message: 'The host has ended the instance.' })
    await this.#thread.terminate()
  }

  async #waitForOutcome(milliseconds: number): Promise<InvocationOutcome> {
    const { promise, resolve } = Promise.withResolvers<InvocationOutcome>()
    this.#listener = resolve
    const timer = setTimeout(() => {
      this.#fail({ message: `Task timed out after ${(milliseconds / 1_000).toFixed(2)} seconds` })
      // Ends the thread even in an endless loop. The next invocation starts another instance.
      void this.end()
    }, milliseconds)

    const outcome = await promise
    clearTimeout(timer)
    return outcome
  }

  /** Marks the instance as ended, and ends the invocation under way. */
  #fail({ message, stack }: { readonly message: string; readonly stack?: string }): void {
    // The first reason counts: an error, for instance, is followed by the end of the thread.
    this.#failure ??= { kind: 'error', message, log: stack ?? message }
    this.#listener(this.#failure)
  }
}

/**
 * Creates all environment variables of a function: the variables of its template, those of the Lambda runtime that the
 * AWS SDK or a developer reads ("Defined runtime environment variables"), and the address of the local database. The
 * variables of this machine are not passed on.
 */
export const createRuntimeVariables = (
  lambda: LambdaFunction,
  databaseEndpoint: string,
): Readonly<Record<string, string>> => ({
  ...lambda.environment,
  AWS_ACCESS_KEY_ID: localCredentials.accessKeyId,
  AWS_SECRET_ACCESS_KEY: localCredentials.secretAccessKey,
  AWS_REGION: localRegion,
  AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x',
  AWS_LAMBDA_FUNCTION_NAME: lambda.name,
  AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(lambda.memoryMegabytes),
  AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
  AWS_ENDPOINT_URL_DYNAMODB: databaseEndpoint,
  // Without these the AWS SDK would read the profiles of the user.
  AWS_CONFIG_FILE: devNull,
  AWS_SHARED_CREDENTIALS_FILE: devNull,
})
