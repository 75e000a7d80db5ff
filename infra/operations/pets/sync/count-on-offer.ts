import { BatchGetCommand, type DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { keysPerLookup } from '../pet-table.ts'

/** Counts the pets that are available or pending (strongly consistent). It reads nothing but their statuses. */
export const countOnOffer = async (
  client: DynamoDBDocumentClient,
  table: string,
  ids: readonly bigint[],
): Promise<number> => {
  // "status" is a reserved word of DynamoDB.
  const projection = { ProjectionExpression: '#status', ExpressionAttributeNames: { '#status': 'status' } }
  let count = 0
  let keys: Record<string, unknown>[] = ids.map((id) => ({ id }))
  while (keys.length > 0) {
    const Keys = keys.splice(-keysPerLookup)
    const { Responses, UnprocessedKeys } = await client.send(
      new BatchGetCommand({ RequestItems: { [table]: { Keys, ConsistentRead: true, ...projection } } }),
    )
    // The item of a removed pet has no status.
    count += (Responses?.[table] ?? []).filter(({ status }) => status === 'available' || status === 'pending').length
    keys = [...keys, ...(UnprocessedKeys?.[table]?.Keys ?? [])]
  }
  return count
}
