import { setTimeout } from 'node:timers/promises'
import { type DynamoDBClientConfig, TransactionCanceledException } from '@aws-sdk/client-dynamodb'
import { isInConflict, isThrottled } from '../../../shared/dynamodb/unavailable.ts'

/** The SDK's interface of a retry strategy. */
type RetryStrategy = Extract<
  NonNullable<DynamoDBClientConfig['retryStrategy']>,
  { readonly acquireInitialRetryToken: unknown }
>

/** How long after its first attempt a call is still repeated that is throttled or in conflict. */
const busyMilliseconds = 30_000

/** Maximum number of attempts of a call whose response is lost, or that fails on the side of AWS. */
const maximumLostAttempts = 8

/** Upper limit of the random wait before the second attempt. The limit doubles for each further attempt. */
const firstWaitMilliseconds = 100
const longestWaitMilliseconds = 2_000

/**
 * Creates the retry strategy of all commands of operators, on AWS and locally.
 *
 * The strategy waits out half a minute of throttling, even of many calls at once: the SDK's own strategy has a budget
 * of retries, which a throttled batch of a hundred writes uses up at once. It also repeats two calls that the SDK's own
 * does not: a write that meets a transaction on its item, and a transaction that DynamoDB has canceled because it met
 * another write. All repetitions are made here, so `$metadata.attempts` of an error counts all attempts of a call.
 *
 * @example new DynamoDBClient({ retryStrategy: createCommandRetryStrategy() })
 *
 * @param wait waits between attempts
 */
export const createCommandRetryStrategy = (
  wait: (milliseconds: number) => Promise<unknown> = setTimeout,
): RetryStrategy => ({
  acquireInitialRetryToken: async () => createAttempt(0, performance.now()),

  refreshRetryTokenForRetry: async (token, { errorType, error }) => {
    // The SDK passes back a token that this strategy returned.
    const { retries, callStartedAt } = token as Attempt
    const madeAttempts = retries + 1
    const isWorthRetrying =
      errorType === 'THROTTLING' || isThrottled(error) || isInConflict(error)
        ? performance.now() - callStartedAt < busyMilliseconds
        : errorType === 'TRANSIENT' && madeAttempts < maximumLostAttempts
    // This error ends the call. The SDK throws the error of the last attempt in its place.
    if (!isWorthRetrying) throw new Error('The call is not retried.')

    const longestWait = Math.min(longestWaitMilliseconds, firstWaitMilliseconds * 2 ** retries)
    await wait(Math.random() * longestWait)
    return createAttempt(madeAttempts, callStartedAt)
  },

  // Only a strategy with a budget of retries has something to record.
  recordSuccess: () => undefined,
})

/**
 * Whether a call has failed for good, and has changed nothing: its error is not one of the SDK, or AWS has rejected the
 * only attempt. After several attempts this is not certain: an earlier attempt, whose response was lost, may have made
 * the change. After a canceled transaction the command can read the items again, and make another one.
 *
 * The SDK sets `$metadata` on each of its errors, and `$fault` on the errors with which AWS has responded.
 */
export const hasFailedForGood = (error: unknown): boolean => {
  if (error instanceof TransactionCanceledException) return false
  const { $fault, $metadata }: { $fault?: unknown; $metadata?: { attempts?: number } } = Object(error)
  if ($metadata === undefined) return true
  const { attempts = 1 } = $metadata
  return $fault === 'client' && attempts === 1
}

/** Creates the SDK's token for one attempt. The strategy has already waited when it returns a token. */
const createAttempt = (retries: number, callStartedAt: number) => ({
  retries,
  callStartedAt,
  getRetryCount: () => retries,
  getRetryDelay: () => 0,
})

type Attempt = ReturnType<typeof createAttempt>
