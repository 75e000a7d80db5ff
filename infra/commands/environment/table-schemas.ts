/** Keys and indexes of the tables that only operators use, for the stack that creates them and the commands. */

/** One record for each change that an operator makes. */
export const auditTableSchema = {
  /** The changed item, such as `pet#5` or `key#key_0mhz...`. */
  partitionKey: 'target',
  /** The id of the change. Ids sort by time. */
  sortKey: 'changeId',
  /** Unix seconds at which DynamoDB deletes the record. */
  timeToLive: 'expiresAt',
  dayIndex: { name: 'day-index', partitionKey: 'day', sortKey: 'changeId' },
} as const

/** The index of the animals of shelters' files: (source, number) to the id of the pet. */
export const listingsTableSchema = {
  partitionKey: 'source',
  /** The animal's number at its shelter. */
  sortKey: 'number',
} as const
