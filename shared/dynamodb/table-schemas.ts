/** Keys and indexes of all tables, for the stack that creates them and the code that reads and writes them. */

export const petsTableSchema = {
  partitionKey: 'id',
  /**
   * Lists the pets of one status by id. All attributes are projected, so a list reads nothing from the table itself.
   */
  statusIndex: { name: 'status-index', partitionKey: 'status', sortKey: 'id' },
} as const

export const apiKeysTableSchema = { partitionKey: 'keyHash' } as const

export const idempotencyTableSchema = {
  partitionKey: 'id',
  /** Unix seconds. DynamoDB deletes an expired item days later, so readers compare the attribute with the clock. */
  timeToLive: 'expiresAt',
} as const

/** Schema of the audit table, which has one record for each change that an operator makes. */
export const auditTableSchema = {
  /** The changed item, such as `pet#5` or `key#key_0mhz...`. */
  partitionKey: 'target',
  /** The id of the change. Ids sort by time. */
  sortKey: 'changeId',
  /** Unix seconds at which DynamoDB deletes the record. */
  timeToLive: 'expiresAt',
  dayIndex: { name: 'day-index', partitionKey: 'day', sortKey: 'changeId' },
} as const

/** Schema of the listings table, in which commands find the pet of an animal by its source and its number. */
export const listingsTableSchema = {
  partitionKey: 'source',
  /** The animal's number at its shelter. */
  sortKey: 'number',
} as const
