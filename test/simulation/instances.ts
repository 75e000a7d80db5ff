import { createAuthorizer, type Invocation } from '../../functions/authorizer/authorizer.ts'
import { readContract } from '../../infra/contract/contract.ts'
import { defaults, localStage } from '../../infra/environments.ts'
import type { FunctionInvoker } from '../../infra/local/lambda/function-host.ts'
import type { ResourceNames } from '../../infra/operations/environment/local-environment-record.ts'
import type { GatewayEvent } from '../../shared/http/gateway-event.ts'
import { ReservationStore } from '../../shared/idempotency/reservations.ts'
import { PetStore } from '../../shared/pets/pet-store.ts'
import { RateLimiter } from '../../shared/rate-limit/rate-limiter.ts'
import { RequestCounter } from '../../shared/rate-limit/request-counter.ts'
import { authorizerTimeoutSeconds, operationTimeoutSeconds } from '../../shared/timeouts.ts'
import type { Process, SimulatedDatabase } from './database.ts'
import type { Faults } from './faults.ts'
import type { Random } from './random.ts'
import type { VirtualTime } from './virtual-time.ts'

type Outcome = Awaited<ReturnType<FunctionInvoker['invoke']>>

type Handler = (event: never, invocation: Invocation) => Promise<unknown>

/** Milliseconds by which the clock of an instance may differ from the time. */
const largestClockOffset = 500

/** The value of the reserved gateway key, on which no usage plan has a limit. */
export const reservedGatewayKey = 'reserved'

interface InstanceOptions {
  readonly time: VirtualTime
  readonly random: Random
  readonly faults: Faults
  readonly database: SimulatedDatabase
  readonly tables: ResourceNames['tables']
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

  readonly waitUntilRunning = async (): Promise<void> => {
    const { faults, time } = this.#options
    if (faults.drawKill()) {
      this.#isKilled = true
      this.#killed.resolve({ kind: 'error', message: 'Runtime exited', log: 'killed' })
    }
    if (this.#isKilled) await new Promise(() => {})
    await time.pause(faults.drawFreeze())
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
  readonly #options: InstanceOptions
  readonly #idle = new Map<string, LoadedInstance[]>()
  readonly #modules = new Map<string, (instance: Instance) => Handler>()

  constructor(options: InstanceOptions) {
    this.#options = options
  }

  /** Loads the code of all functions. */
  async open(): Promise<void> {
    this.#modules.set('authorizer', (instance) => this.#createAuthorizer(instance))
    for (const { name, operationId, isReserved } of readContract().operations) {
      if (isReserved) await this.#loadIndex(name)
      else await this.#loadOperation(name, operationId)
    }
    await this.#loadIndex('unknown-route')
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
    const createHandler = this.#modules.get(name)
    if (createHandler === undefined) throw new Error(`There is no function ${name}.`)
    const instance = new Instance({ ...this.#options, random: this.#options.random.fork() })
    return { instance, handler: createHandler(instance) }
  }

  #createAuthorizer(instance: Instance): Handler {
    const { database, tables } = this.#options
    const counter = new RequestCounter(database.connect(instance), tables.apiKeys)
    const limiter = new RateLimiter(counter, defaults[localStage].banPolicy, instance.clock)
    return createAuthorizer(limiter, defaults[localStage].apiKeyPrefix, reservedGatewayKey)
  }

  /** Loads an operation. Its module exports a function with its name, such as `listPets`, that creates the handler. */
  async #loadOperation(name: string, operationId: string): Promise<void> {
    const { database, tables } = this.#options
    const module = await import(`../../functions/${name}/${name}.ts`)
    this.#modules.set(name, (instance) => {
      const client = database.connect(instance)
      const pets = new PetStore(client, tables.pets)
      const reservations = new ReservationStore(client, tables.idempotency)
      return module[operationId]({ pets, reservations }, instance.clock)
    })
  }

  async #loadIndex(name: string): Promise<void> {
    const { handler }: { handler: (event: GatewayEvent, invocation: Invocation) => Promise<unknown> } = await import(
      `../../functions/${name}/index.ts`
    )
    this.#modules.set(name, () => handler)
  }
}
