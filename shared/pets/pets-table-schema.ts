/** The keys and the index of the pets table, for the stack that creates it and the code that uses it. */
export const petsTableSchema = {
  partitionKey: 'id',
  /** Lists the pets of one status by id. All attributes are projected, so a list reads nothing else. */
  statusIndex: { name: 'status-index', partitionKey: 'status', sortKey: 'id' },
} as const
