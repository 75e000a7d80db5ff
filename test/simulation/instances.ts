import type { ResourceNames } from '../../infra/commands/environment/local-environment.ts'
import type { FunctionInvoker } from '../../infra/local/lambda/function-host.ts'
import type { BanPolicy } from '../../shared/rate-limit/rate-limiter.ts'
import { authorizerTimeoutSeconds, operationTimeoutSeconds } from '../../shared/timeouts.ts'
import type { Process, SimulatedDatabase } from './database.ts'
import type { Faults } from './faults.ts'
import type { FunctionCode, Handler } from './function-code.ts'
import type { Random } from './random.ts'
import type { VirtualTime } from './virtual-time.ts'

type Outcome = Awaited<ReturnType<FunctionInvoker['invoke']>>

/** Milliseconds by which the clock of an instance may differ from the time. */
const largestClockOffset = 500

interface InstanceOptions {
  readonly time: VirtualTime
  readonly random: Random
  readonly faults: Faults
}

interface LambdaOptions extends InstanceOptions {
  readonly database: SimulatedDatabase
  readonly tables: ResourceNames['tables']
  readonly banPolicy: BanPolicy
  readonly code: FunctionCode
}

/** An instance of a function, with memory and a clock of its own. It may be frozen for minutes, or killed. */
class Instance implements Process {
  readonly #options: InstanceOptions
  readonly #clockOffset: number
  readonly #killed = Promise.withResolvers<Outcome>()
  #isKilled = false

  constructor(options: InstanceOptions) {
    this.#options = options
    this.#clockOffset = options.random.integer(-largestClockOffset, largestClockOffset)
  }

  readonly clock = (): number => this.#options.time.now + this.#clockOffset

  /** Resolves with the outcome of an invocation, when the instance is killed. */
  get killed(): Promise<Outcome> {
    return this.#killed.promise
  }

  readonly waitUntilRunning = async (isRareCall: boolean): Promise<void> => {
    const { faults, time } = this.#options
    if (faults.drawKill(isRareCall)) {
      this.#isKilled = true
      this.#killed.resolve({ kind: 'error', message: 'Runtime exited', log: 'killed' })
    }
    if (this.#isKilled) await new Promise(() => {})
    const freeze = faults.drawFreeze(isRareCall)
    if (freeze > 0) await time.pause(freeze)
  }
}

/** An instance that has loaded the code of its function. */
interface LoadedInstance {
  readonly instance: Instance
  readonly handler: Handler
}

/**
 * Hosts the authorizer and the functions as Lambda does: an instance handles one request at a time, and a request that
 * finds no idle instance starts another.
 *
 * Unlike Lambda, an instance whose function exceeds its timeout goes on: it may write minutes later. Lambda documents
 * only that it stops the function.
 */
export class LambdaHost implements FunctionInvoker {
  readonly #options: LambdaOptions
  /** Idle instances by the names of their functions. */
  readonly #idle = new Map<string, LoadedInstance[]>()

  constructor(options: LambdaOptions) {
    this.#options = options
  }

  async invoke(name: string, text: string): Promise<Outcome> {
    const { time } = this.#options
    const loaded = this.#takeIdle(name) ?? this.#load(name)
    const timeout = (name === 'authorizer' ? authorizerTimeoutSeconds : operationTimeoutSeconds) * 1_000
    const end = time.now + timeout
    const timedOut = time
      .pause(timeout)
      .then((): Outcome => ({ kind: 'error', message: 'timed out', log: 'timed out' }))

    const handled = this.#handle(loaded.handler, text, end)
    const outcome = await Promise.race([handled, loaded.instance.killed, timedOut])
    const isStillRunning = outcome.kind === 'error' && /^(killed|timed out)$/.test(outcome.log)
    if (!isStillRunning) this.#idle.set(name, [...(this.#idle.get(name) ?? []), loaded])
    return outcome
  }

  /** The responses of callers show every error, and the simulation checks these. */
  report(): void {}

  async #handle(handler: Handler, text: string, end: number): Promise<Outcome> {
    try {
      // The event has the type of the handler's parameter.
      const event: never = JSON.parse(text) as never
      const result = await handler(event, { getRemainingTimeInMillis: () => end - this.#options.time.now })
      return { kind: 'result', payload: JSON.stringify(result) }
    } catch (error) {
      const message = error instanceof Error ? error.message : ''
      return { kind: 'error', message, log: String(error) }
    }
  }

  /** Takes any idle instance, because AWS does not document which one Lambda takes. */
  #takeIdle(name: string): LoadedInstance | undefined {
    const idle = this.#idle.get(name) ?? []
    const [taken] = idle.splice(this.#options.random.integer(0, Math.max(0, idle.length - 1)), 1)
    return taken
  }

  #load(name: string): LoadedInstance {
    const { code, database, tables, banPolicy, random } = this.#options
    const createHandler = code.get(name)
    if (createHandler === undefined) throw new Error(`There is no function ${name}.`)
    const instance = new Instance({ ...this.#options, random: random.fork() })
    const handler = createHandler({ client: database.connect(instance), tables, banPolicy, clock: instance.clock })
    return { instance, handler }
  }
}
