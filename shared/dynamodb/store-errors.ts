const throttlingErrors: ReadonlySet<string> = new Set([
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
  'ThrottlingException',
])

/** Whether DynamoDB refused because the item, or the table, takes no more at the moment. */
export const isThrottled = (error: unknown): boolean => error instanceof Error && throttlingErrors.has(error.name)

/**
 * Whether the store was away: throttled, failing, slow or out of reach. Not when it refused a request
 * that was wrong, which is a fault of the service. The SDK marks every error that it met with `$metadata`.
 */
export const isStoreUnavailable = (error: unknown): boolean =>
  error instanceof Error &&
  '$metadata' in error &&
  (isThrottled(error) || !('$fault' in error) || error.$fault === 'server')
