import { setTimeout } from 'node:timers/promises'
import type { DynamoDBClientConfig } from '@aws-sdk/client-dynamodb'

type RetryStrategy = Extract<
  NonNullable<DynamoDBClientConfig['retryStrategy']>,
  { readonly acquireInitialRetryToken: unknown }
>

export const mostAttempts = 3

/** No attempt begins later than this after the first one. */
const lastAttemptMilliseconds = 1_200

/** The longest wait before the second attempt; the third may wait twice as long. */
const longestFirstWaitMilliseconds = 100

/** As many more retries than calls that succeeded, and then no more until calls succeed again. */
const mostRetriesInAdvance = 50

/**
 * Repeats a call that was throttled or lost, soon and not for long, because a caller waits for the answer: the SDK's
 * own strategy waits up to three seconds where DynamoDB throttles, and longer where DynamoDB asks it to. As in that
 * one, a store that is away for long is not asked three times for every request.
 */
export const boundedRetries = (): RetryStrategy => {
  let retriesLeft = mostRetriesInAdvance
  return {
    acquireInitialRetryToken: async () => new Attempt(0, performance.now()),
    refreshRetryTokenForRetry: async (last, { errorType }) => {
      // The SDK hands back what this strategy gave it.
      const { retries, callStartedAt } = last as Attempt
      const wait = Math.random() * longestFirstWaitMilliseconds * 2 ** retries
      const isTooLate = performance.now() + wait - callStartedAt > lastAttemptMilliseconds
      const isWorthwhile = errorType === 'THROTTLING' || errorType === 'TRANSIENT'
      if (!isWorthwhile || isTooLate || retries + 1 >= mostAttempts || retriesLeft === 0) {
        // The SDK throws what the last attempt met, not this.
        throw new Error('The call is not repeated.')
      }
      retriesLeft -= 1
      await setTimeout(wait)
      return new Attempt(retries + 1, callStartedAt)
    },
    recordSuccess: () => {
      retriesLeft = Math.min(mostRetriesInAdvance, retriesLeft + 1)
    },
  }
}

/** The SDK's token for one attempt: how many retries it is, of a call that began when. */
class Attempt {
  readonly retries: number
  /** By `performance.now()`. */
  readonly callStartedAt: number

  constructor(retries: number, callStartedAt: number) {
    this.retries = retries
    this.callStartedAt = callStartedAt
  }

  getRetryCount(): number {
    return this.retries
  }

  /** The wait is over when there is a token. */
  getRetryDelay(): number {
    return 0
  }
}
