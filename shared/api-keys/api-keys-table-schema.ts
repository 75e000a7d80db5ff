/** Partition key of the API keys table, for the stack that creates it. */
export const apiKeysTableSchema = { partitionKey: 'keyHash' } as const
