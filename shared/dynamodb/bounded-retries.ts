import { setTimeout } from 'node:timers/promises'
import type { DynamoDBClientConfig } from '@aws-sdk/client-dynamodb'
import { isTransactionConflict } from './unavailable.ts'

/** The SDK's interface of a retry strategy. */
type RetryStrategy = Extract<
  NonNullable<DynamoDBClientConfig['retryStrategy']>,
  { readonly acquireInitialRetryToken: unknown }
>

type RetryErrorInfo = Parameters<RetryStrategy['refreshRetryTokenForRetry']>[1]

/** Attempts of one call: the first, and two retries. */
export const maximumAttemptsPerCall = 3

/** The last moment for an attempt to begin, counted from the start of the first attempt. */
const lastAttemptMilliseconds = 1_200

/** The maximum wait before the second attempt; it doubles for the third. */
const maximumFirstWaitMilliseconds = 100

/** The retry budget of a client. Each retry takes one from the budget, and each successful call gives one back. */
const retryBudget = 50

/**
 * Creates a retry strategy that repeats a throttled or lost call soon, and for a short time, because a caller waits for
 * the response. The SDK's own strategy waits up to three seconds when DynamoDB throttles, and longer when DynamoDB
 * requests it. As in the SDK's strategy, the retry budget runs out while DynamoDB is unavailable for long.
 *
 * @example new DynamoDBClient({ maxAttempts: maximumAttemptsPerCall, retryStrategy: createBoundedRetries() })
 */
export const createBoundedRetries = (): RetryStrategy => {
  let remainingRetries = retryBudget

  return {
    acquireInitialRetryToken: async () => createAttempt(0, Date.now()),

    refreshRetryTokenForRetry: async (token, failure) => {
      // The SDK passes back a token that this strategy returned.
      const { retries, callStartedAt } = token as Attempt
      const wait = Math.random() * maximumFirstWaitMilliseconds * 2 ** retries
      const isTooLateAfter = (milliseconds: number): boolean =>
        Date.now() + milliseconds - callStartedAt > lastAttemptMilliseconds
      const madeAttempts = retries + 1
      const wasLastAttempt = madeAttempts >= maximumAttemptsPerCall
      if (!isWorthRetrying(failure) || isTooLateAfter(wait) || wasLastAttempt || remainingRetries === 0) {
        throw createRefusal()
      }

      remainingRetries -= 1
      await setTimeout(wait)
      // Lambda may have frozen the instance during the wait, and resumed it minutes later.
      if (isTooLateAfter(0)) throw createRefusal()
      return createAttempt(retries + 1, callStartedAt)
    },

    recordSuccess: () => {
      remainingRetries = Math.min(retryBudget, remainingRetries + 1)
    },
  }
}

/** Creates the error that ends the retries of a call. The SDK throws the error of the last attempt in its place. */
const createRefusal = (): Error => new Error('The call is not retried.')

const isWorthRetrying = ({ errorType, error }: RetryErrorInfo): boolean =>
  errorType === 'THROTTLING' || errorType === 'TRANSIENT' || isTransactionConflict(error)

/**
 * Creates the SDK's token for one attempt. The strategy has already waited when it returns a token, so the SDK need not
 * wait. `callStartedAt` is a time of `Date.now()`, whose clock goes on while the instance is frozen.
 */
const createAttempt = (retries: number, callStartedAt: number) => ({
  retries,
  callStartedAt,
  getRetryCount: () => retries,
  getRetryDelay: () => 0,
})

type Attempt = ReturnType<typeof createAttempt>
