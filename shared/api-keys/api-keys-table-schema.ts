/** The keys and the index of the API keys table, for the stack that creates it and the code that uses it. */
export const apiKeysTableSchema = {
  partitionKey: 'keyHash',
  /**
   * Finds a key by its id. Every item has the same `kind`. The counters are not projected, so counting a request never
   * writes to this index.
   */
  keyIdIndex: {
    name: 'key-id-index',
    partitionKey: 'kind',
    sortKey: 'keyId',
    projected: ['owner', 'plan', 'state', 'createdAt', 'expiresAt', 'minuteLimit', 'dayLimit'],
  },
} as const
