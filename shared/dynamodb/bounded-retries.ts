import { setTimeout } from 'node:timers/promises'
import type { DynamoDBClientConfig } from '@aws-sdk/client-dynamodb'

type RetryStrategy = Extract<
  NonNullable<DynamoDBClientConfig['retryStrategy']>,
  { readonly acquireInitialRetryToken: unknown }
>

export const maximumAttemptsPerCall = 3

/** The last moment for an attempt to begin, counted from the first one. */
const lastAttemptMilliseconds = 1_200

/** The maximum wait before the second attempt; it doubles for the third. */
const maximumFirstWaitMilliseconds = 100

/** So many retries at first. Each retry takes one, and each successful call gives one back. */
const initialRetries = 50

/**
 * Retries a call that was throttled or lost, soon and for a short time, because a caller waits for the response. The
 * SDK's own strategy waits up to three seconds when DynamoDB throttles, and longer when DynamoDB requests it. As with
 * that one, the retries run out while DynamoDB is unavailable for long.
 */
export const createBoundedRetries = (): RetryStrategy => {
  let retriesLeft = initialRetries
  return {
    acquireInitialRetryToken: async () => attempt(0, performance.now()),
    refreshRetryTokenForRetry: async (last, { errorType, error }) => {
      // The SDK passes a token of this strategy.
      const { retries, callStartedAt } = last as Attempt
      const wait = Math.random() * maximumFirstWaitMilliseconds * 2 ** retries
      const isTooLate = performance.now() + wait - callStartedAt > lastAttemptMilliseconds
      const isWorthwhile = errorType === 'THROTTLING' || errorType === 'TRANSIENT' || isInTransaction(error)
      if (!isWorthwhile || isTooLate || retries + 1 >= maximumAttemptsPerCall || retriesLeft === 0) {
        // The SDK throws the error of the last attempt, not this one.
        throw new Error('The call is not retried.')
      }
      retriesLeft -= 1
      await setTimeout(wait)
      return attempt(retries + 1, callStartedAt)
    },
    recordSuccess: () => {
      retriesLeft = Math.min(initialRetries, retriesLeft + 1)
    },
  }
}

/** A key is being rotated just now. The SDK's own strategy gives up. */
const isInTransaction = (error: unknown): boolean =>
  error instanceof Error && error.name === 'TransactionConflictException'

/** The SDK's token for one attempt. The wait before it is over when there is a token. `callStartedAt` is by `performance.now()`. */
const attempt = (retries: number, callStartedAt: number) => ({
  ...{ retries, callStartedAt },
  getRetryCount: () => retries,
  getRetryDelay: () => 0,
})

type Attempt = ReturnType<typeof attempt>
