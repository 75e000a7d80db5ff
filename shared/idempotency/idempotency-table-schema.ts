/** Partition key and time-to-live attribute of the idempotency table. */
export const idempotencyTableSchema = {
  partitionKey: 'id',
  /** Unix seconds. DynamoDB deletes an expired item days later, so readers compare the attribute with the clock. */
  timeToLive: 'expiresAt',
} as const
