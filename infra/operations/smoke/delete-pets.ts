import { existsSync, readFileSync } from 'node:fs'
import { DeleteItemCommand, type DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { petsTable } from '../../../shared/pets/pets-table.ts'

const atOnce = 10

/**
 * Deletes pets; the API has no operation for that.
 *
 * @param file one pet per line, as the API returned it when it was added
 * @returns how many
 */
export const deletePets = async (client: DynamoDBClient, table: string, file: string): Promise<number> => {
  if (!existsSync(file)) return 0
  const lines = readFileSync(file, 'utf8').split('\n')
  const ids = [...new Set(lines.flatMap((line) => /^\{"id":(\d+),/.exec(line)?.[1] ?? []))]
  for (let start = 0; start < ids.length; start += atOnce) {
    const deletions = ids
      .slice(start, start + atOnce)
      .map((id) => new DeleteItemCommand({ TableName: table, Key: { [petsTable.partitionKey]: { N: id } } }))
    await Promise.all(deletions.map((deletion) => client.send(deletion)))
  }
  return ids.length
}
