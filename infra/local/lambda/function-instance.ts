import { devNull } from 'node:os'
import { createInterface } from 'node:readline'
import { Worker } from 'node:worker_threads'
import { localCredentials, localRegion } from '../../operations/environment/local-database.ts'
import type { LambdaFunction } from '../template/environment-template.ts'

/** How one invocation ended. Events and results cross as JSON texts, as they do on Lambda. */
export type InvocationOutcome =
  | { readonly kind: 'result'; readonly payload: string }
  /** A function error: it threw, ran out of time or memory, or could not be loaded. Whoever runs the environment sees the log. */
  | { readonly kind: 'error'; readonly message: string; readonly log: string }

/** Lambda gives a function this long to load its module, apart from its timeout. */
const loadMilliseconds = 10_000

/** One instance of a function: it takes one invocation at a time, and may take many in its life. */
export class FunctionInstance {
  readonly #thread: Worker
  readonly #timeoutMilliseconds: number
  /** Loading ends like an invocation. */
  readonly #loaded: Promise<InvocationOutcome>
  #isAlive = true
  #listener: (outcome: InvocationOutcome) => void = () => {}

  constructor(lambda: LambdaFunction, databaseEndpoint: string, writeLine: (line: string) => void) {
    this.#timeoutMilliseconds = lambda.timeoutMilliseconds
    this.#thread = new Worker(new URL('./instance-thread.ts', import.meta.url), {
      workerData: lambda,
      env: createRuntimeVariables(lambda, databaseEndpoint),
      // V8 would let each young generation grow to 192 MB, and does not give memory back.
      resourceLimits: { maxOldGenerationSizeMb: lambda.memoryMegabytes, maxYoungGenerationSizeMb: 12 },
      stdout: true,
      stderr: true,
      // The process's own flags, such as a test runner's, are not for functions. Stacks name the sources.
      execArgv: ['--enable-source-maps'],
    })
    for (const input of [this.#thread.stdout, this.#thread.stderr]) createInterface({ input }).on('line', writeLine)
    this.#thread.on('message', (outcome: InvocationOutcome) => this.#listener(outcome))
    this.#thread.on('error', (error) => this.#fail(error))
    this.#thread.on('exit', (code) => this.#fail({ message: `The function's process ended with exit code ${code}.` }))
    // The timer of an invocation keeps the process running, an idle instance does not.
    this.#thread.unref()
    this.#loaded = this.#nextOutcome(loadMilliseconds)
  }

  /** False once its thread has ended; then it must not be used again. */
  get isAlive(): boolean {
    return this.#isAlive
  }

  async invoke(event: string): Promise<InvocationOutcome> {
    const load = await this.#loaded
    if (load.kind === 'error') return load
    const outcome = this.#nextOutcome(this.#timeoutMilliseconds)
    this.#thread.postMessage(event)
    return outcome
  }

  async end(): Promise<void> {
    this.#isAlive = false
    await this.#thread.terminate()
  }

  async #nextOutcome(milliseconds: number): Promise<InvocationOutcome> {
    const { promise, resolve } = Promise.withResolvers<InvocationOutcome>()
    this.#listener = resolve
    const timer = setTimeout(() => {
      // This ends the thread even in an endless loop. The next invocation starts another instance.
      this.#fail({ message: `Task timed out after ${(milliseconds / 1_000).toFixed(2)} seconds` })
      void this.end()
    }, milliseconds)
    const outcome = await promise
    clearTimeout(timer)
    return outcome
  }

  #fail({ message, stack }: { readonly message: string; readonly stack?: string }): void {
    this.#isAlive = false
    this.#listener({ kind: 'error', message, log: stack ?? message })
  }
}

/**
 * All environment variables of a function: those of its template, those of the Lambda runtime that the AWS SDK or a
 * developer reads ("Defined runtime environment variables"), and what points the AWS SDK at the local database. Nothing
 * of this machine's own environment is in it.
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
  TZ: ':UTC',
  AWS_ENDPOINT_URL_DYNAMODB: databaseEndpoint,
  // Otherwise the AWS SDK would read the profiles of the user.
  AWS_CONFIG_FILE: devNull,
  AWS_SHARED_CREDENTIALS_FILE: devNull,
})
