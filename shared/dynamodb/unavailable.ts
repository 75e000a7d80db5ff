/**
 * Errors of calls that may succeed a moment later. The SDK repeats some of them by itself, but no transaction that
 * DynamoDB has canceled, whatever the reason ("Error handling for writing" in the DynamoDB Developer Guide).
 */
import type { CancellationReason, TransactionCanceledException } from '@aws-sdk/client-dynamodb'

/** Names of errors and codes of cancellation reasons that say that a call exceeds what DynamoDB accepts. */
const throttling: ReadonlySet<string | undefined> = new Set([
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
  'ThrottlingException',
  'ProvisionedThroughputExceeded',
  'ThrottlingError',
])

/** Names and codes that say that a call meets another transaction on its items, or the same one sent before. */
const conflicts: ReadonlySet<string | undefined> = new Set([
  'TransactionConflictException',
  'TransactionInProgressException',
  'TransactionConflict',
])

/** Whether DynamoDB throttled the call: the item or the table accepts no more at the moment. */
export const isThrottled = (error: unknown): boolean => hasCause(error, throttling)

/** Whether a transaction is writing the same items, for another request with the same `Idempotency-Key` or this one. */
export const isInConflict = (error: unknown): boolean => hasCause(error, conflicts)

const hasCause = (error: unknown, causes: ReadonlySet<string | undefined>): boolean => {
  if (!(error instanceof Error)) return false
  if (causes.has(error.name)) return true
  const codes = readCancellationReasons(error).map(({ Code }) => Code)
  // A transaction with an unmet condition would fail again.
  return !codes.includes('ConditionalCheckFailed') && codes.some((code) => causes.has(code))
}

/** Reads why DynamoDB has canceled a transaction: one reason for each write. An error of another kind has none. */
export const readCancellationReasons = (error: unknown): readonly CancellationReason[] =>
  isCancellation(error) ? (error.CancellationReasons ?? []) : []

/** Recognises the error by its name, so that functions without DynamoDB bundle none of its client. */
const isCancellation = (error: unknown): error is TransactionCanceledException =>
  error instanceof Error && error.name === 'TransactionCanceledException'

/**
 * Whether DynamoDB is unavailable: it throttles, fails, is slow or cannot be reached, a conflict lasts, or the call was
 * aborted, because the time of the request is over. A request that DynamoDB rejects as invalid does not count: that is
 * a fault of this service.
 *
 * The SDK sets `$metadata` on each of its errors, and `$fault` on those that DynamoDB responded with.
 */
export const isUnavailable = (error: unknown): boolean =>
  isThrottled(error) ||
  isInConflict(error) ||
  (error instanceof Error &&
    (error.name === 'AbortError' || ('$metadata' in error && (!('$fault' in error) || error.$fault === 'server'))))
