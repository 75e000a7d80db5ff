const throttlingErrors: ReadonlySet<string> = new Set([
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
  'ThrottlingException',
])

/** Whether DynamoDB throttled the request: the item or the table accepts no more at the moment. */
export const isThrottled = (error: unknown): boolean => error instanceof Error && throttlingErrors.has(error.name)

/**
 * Whether DynamoDB is unavailable: it throttles, fails, is slow or cannot be reached, a transaction holds an item for
 * long, or the call was aborted, because the time of the request is over. A request that DynamoDB rejects as invalid
 * does not count: that is a fault of this service.
 *
 * The SDK sets `$metadata` on each of its errors, and `$fault` on those that DynamoDB responded with.
 */
export const isUnavailable = (error: unknown): boolean =>
  isTransactionConflict(error) ||
  (error instanceof Error &&
    (error.name === 'AbortError' ||
      ('$metadata' in error && (isThrottled(error) || !('$fault' in error) || error.$fault === 'server'))))

/**
 * Whether DynamoDB rejected a write because a transaction was just writing the same item: the key is being rotated. The
 * SDK does not retry such a write.
 */
export const isTransactionConflict = (error: unknown): boolean =>
  error instanceof Error && error.name === 'TransactionConflictException'
