/** The key and the time-to-live attribute of the idempotency table. */
export const idempotencyTableSchema = {
  partitionKey: 'id',
  /** Unix seconds. DynamoDB deletes late, so readers compare it with the clock. */
  timeToLive: 'expiresAt',
} as const
