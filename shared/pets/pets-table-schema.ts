/** Keys and index of the pets table, for the stack that creates the table and the code that uses it. */
export const petsTableSchema = {
  partitionKey: 'id',
  /**
   * Lists the pets of one status by id. All attributes are projected, so a list reads nothing from the table itself.
   */
  statusIndex: { name: 'status-index', partitionKey: 'status', sortKey: 'id' },
} as const
