import { setTimeout } from 'node:timers/promises'
import type { DynamoDBClientConfig } from '@aws-sdk/client-dynamodb'

/** The SDK's interface of a retry strategy. */
type RetryStrategy = Extract<
  NonNullable<DynamoDBClientConfig['retryStrategy']>,
  { readonly acquireInitialRetryToken: unknown }
>

/** Time for which a throttled call is repeated, counted from the start of its first attempt. */
const throttledMilliseconds = 30_000

/** Attempts of a call whose response is lost, or that fails on the side of AWS. */
const maximumLostAttempts = 8

/** The maximum wait before the second attempt. It doubles for each further attempt, up to the longest wait. */
const firstWaitMilliseconds = 100
const longestWaitMilliseconds = 2_000

/**
 * Creates a retry strategy for commands of operators. It waits out half a minute of throttling, also of many calls at
 * once. The SDK's own strategy has a budget of retries, which a throttled batch of a hundred writes uses up at once.
 *
 * @example new DynamoDBClient({ retryStrategy: createPatientRetries(() => false) })
 *
 * @param isInterrupted whether the operator has interrupted the command. Then no call is repeated any more.
 */
export const createPatientRetries = (isInterrupted: () => boolean): RetryStrategy => ({
  acquireInitialRetryToken: async () => createAttempt(0, performance.now()),

  refreshRetryTokenForRetry: async (token, { errorType }) => {
    // The SDK passes back a token that this strategy returned.
    const { retries, callStartedAt } = token as Attempt
    const madeAttempts = retries + 1
    const isWorthRetrying =
      errorType === 'THROTTLING'
        ? performance.now() - callStartedAt < throttledMilliseconds
        : errorType === 'TRANSIENT' && madeAttempts < maximumLostAttempts
    if (!isWorthRetrying) throw createRefusal()

    const longestWait = Math.min(longestWaitMilliseconds, firstWaitMilliseconds * 2 ** retries)
    await setTimeout(Math.random() * longestWait)
    if (isInterrupted()) throw createRefusal()
    return createAttempt(madeAttempts, callStartedAt)
  },

  recordSuccess: () => undefined,
})

/** Creates the error that ends the retries of a call. The SDK throws the error of the last attempt in its place. */
const createRefusal = (): Error => new Error('The call is not retried.')

/** Creates the SDK's token for one attempt. The strategy has already waited when it returns a token. */
const createAttempt = (retries: number, callStartedAt: number) => ({
  retries,
  callStartedAt,
  getRetryCount: () => retries,
  getRetryDelay: () => 0,
})

type Attempt = ReturnType<typeof createAttempt>
