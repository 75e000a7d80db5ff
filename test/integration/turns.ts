import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import type { Scheduler } from 'fast-check'
import { clientOf, type RunningEngine } from './engines.ts'

/**
 * Lets concurrent participants call DynamoDB one at a time, in an order that fast-check chooses. The next call begins
 * when the participant of the last one waits for its next turn, or has ended: so an order can be repeated exactly, and
 * each order is one that DynamoDB, which takes the writes of an item one after the other, could have met.
 */
export class Turns {
  readonly #scheduler: Scheduler
  #moving = 0
  #allWait = Promise.withResolvers<void>()

  constructor(scheduler: Scheduler) {
    this.#scheduler = scheduler
  }

  /** Starts the participants at once, and gives back their results in the order in which they ended. */
  async run<Result>(participants: readonly (() => Promise<Result>)[]): Promise<Result[]> {
    const results: Result[] = []
    this.#moving += participants.length
    const ended = participants.map(async (participant) => {
      try {
        results.push(await participant())
      } finally {
        this.#pause()
      }
    })
    await this.#allWait.promise
    await this.#scheduler.waitFor(Promise.all(ended))
    return results
  }

  /** Waits for the turn of a participant. */
  async next(label: string): Promise<void> {
    const turn = this.#scheduler.schedule(Promise.resolve(), label, undefined, async (release) => {
      this.#moving += 1
      this.#allWait = Promise.withResolvers()
      await release()
      await this.#allWait.promise
    })
    this.#pause()
    await turn
  }

  #pause(): void {
    this.#moving -= 1
    if (this.#moving === 0) this.#allWait.resolve()
  }
}

/**
 * A client whose every call waits for its turn. Where `isLost` says so, DynamoDB's answer gets lost, and the call is
 * sent again in another turn, as the SDK does.
 */
export const clientInTurns = (
  engine: RunningEngine,
  turns: Turns,
  isLost: () => boolean = () => false,
): DynamoDBDocumentClient => {
  const { client, plain } = clientOf(engine)
  plain.middlewareStack.add(
    (next, context) => async (given) => {
      const operation = String(context['commandName'])
      await turns.next(operation)
      if (isLost()) {
        // Whether it was done or refused, nobody is told.
        await next(given).catch(() => undefined)
        await turns.next(`${operation} again`)
      }
      return next(given)
    },
    { step: 'finalizeRequest', priority: 'low', name: 'takeTurns' },
  )
  return client
}
