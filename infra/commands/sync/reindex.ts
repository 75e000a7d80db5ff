/** `pets sync --reindex`: writes the entries that pets lack in the index, after only the index was lost or restored. */
import { paginateScan, TransactWriteCommand } from '@aws-sdk/lib-dynamodb'
import { checkGuard, type Guard } from '../changes/engine.ts'
import { createEntryPut, readIndex } from '../changes/number-index.ts'
import { readStoredPet, type StoredPet } from '../changes/stored-pet.ts'
import type { Environment, TableAccess } from '../environment/open-environment.ts'

/** Maximum number of entries in a transaction. It takes 100 writes, of which one is the guard. */
const entriesPerTransaction = 99

/**
 * Writes the entries that pets of a source lack.
 *
 * @returns a sentence for each pet in the list whose number is that of another one
 * @throws UserError if a later run has begun
 */
export const reindex = async (environment: TableAccess, source: string, guard: Guard): Promise<readonly string[]> => {
  const { database, tables } = environment
  const ids = new Map(await readIndex(environment, source))
  const missing = new Map<string, bigint>()
  const doubles: string[] = []
  for await (const { id, state, origin } of scanSource(environment, source)) {
    const number = origin?.number ?? ''
    const known = ids.get(number)
    if (known === undefined) {
      ids.set(number, id)
      missing.set(number, id)
    } else if (known !== id && state.kind === 'shown') {
      doubles.push(`the pets ${known} and ${id} both have the number ${number}: remove ${id}.`)
    }
  }

  await writeEntries(database, tables.listings, source, missing, guard)
  return doubles
}

const writeEntries = async (
  database: Environment['database'],
  table: string,
  source: string,
  ids: ReadonlyMap<string, bigint>,
  guard: Guard,
): Promise<void> => {
  const entries = [...ids].map(([number, id]) => createEntryPut(table, { source, number }, id))
  for (let begin = 0; begin < entries.length; begin += entriesPerTransaction) {
    const batch = entries.slice(begin, begin + entriesPerTransaction)
    try {
      await database.send(new TransactWriteCommand({ TransactItems: [guard.item, ...batch] }))
    } catch (error) {
      checkGuard(guard, error)
      throw error
    }
  }
}

/** Scans the pets of a source, first those that lists show, then the removed ones. */
async function* scanSource({ database, tables }: TableAccess, source: string) {
  const request = {
    TableName: tables.pets,
    ConsistentRead: true,
    // "source" is a reserved word of DynamoDB.
    ExpressionAttributeNames: { '#source': 'source' },
    FilterExpression: '#source = :source',
    ExpressionAttributeValues: { ':source': source },
  }
  const removedPets: StoredPet[] = []
  for await (const { Items = [] } of paginateScan({ client: database }, request)) {
    for (const stored of Items.map(readStoredPet)) {
      if (stored.state.kind === 'removed') removedPets.push(stored)
      else yield stored
    }
  }
  yield* removedPets
}
