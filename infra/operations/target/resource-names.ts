/** The names by which commands reach the resources of an environment. */
export type ResourceNames = Readonly<ReturnType<typeof readResourceNames>>

/** Reads the names from the outputs of an environment's stacks. */
export const readResourceNames = (output: (name: string) => string) => ({
  tables: {
    pets: output('PetsTableName'),
    apiKeys: output('ApiKeysTableName'),
    idempotency: output('IdempotencyTableName'),
  },
})
