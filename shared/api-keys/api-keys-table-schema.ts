/** The key of the API keys table, for the stack that creates it and the code that uses it. */
export const apiKeysTableSchema = { partitionKey: 'keyHash' } as const
