import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { findItems } from '../../environment/batch-get.ts'

/** Counts the pets that are available or pending. It reads nothing but their statuses. */
export const countOnOffer = async (
  client: DynamoDBDocumentClient,
  table: string,
  ids: readonly bigint[],
): Promise<number> => {
  const keys = ids.map((id) => ({ id }))
  // "status" is a reserved word of DynamoDB.
  const projection = { ProjectionExpression: '#status', ExpressionAttributeNames: { '#status': 'status' } }
  const items = await findItems(client, table, keys, projection)
  // The item of a removed pet has no status.
  return items.filter(({ status }) => status === 'available' || status === 'pending').length
}
