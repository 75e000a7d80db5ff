import type { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { DeleteCommand, DynamoDBDocumentClient, GetCommand, PutCommand, paginateScan } from '@aws-sdk/lib-dynamodb'

/**
 * What API Gateway keeps of an API key: its control plane, emulated by a table beside the
 * template's. The key administration writes it, the gateway reads it for every request, so a key
 * works, or stops working, from the next request on.
 */
export interface EdgeKey {
  /** The API Gateway key's value, which the authorizer returns as `usageIdentifierKey`. */
  readonly value: string
  readonly name: string
  readonly usagePlanId: string
}

export const edgeKeysTable = {
  name: 'local-api-gateway-keys',
  KeySchema: [{ AttributeName: 'value', KeyType: 'HASH' as const }],
  AttributeDefinitions: [{ AttributeName: 'value', AttributeType: 'S' as const }],
  timeToLive: undefined,
}

export type EdgeKeys = ReturnType<typeof createEdgeKeys>

export const createEdgeKeys = (database: DynamoDBClient) => {
  const client = DynamoDBDocumentClient.from(database)
  const { name: TableName } = edgeKeysTable
  // Nothing else writes this table.
  return {
    /** Adds a key, or replaces the one of the same value. */
    put: async (Item: EdgeKey) => void (await client.send(new PutCommand({ TableName, Item }))),
    remove: async (value: string) => void (await client.send(new DeleteCommand({ TableName, Key: { value } }))),
    get: async (value: string): Promise<EdgeKey | undefined> => {
      const { Item } = await client.send(new GetCommand({ TableName, Key: { value }, ConsistentRead: true }))
      return Item as EdgeKey | undefined
    },
    list: async (): Promise<EdgeKey[]> => {
      const pages = await Array.fromAsync(paginateScan({ client }, { TableName, ConsistentRead: true }))
      return pages.flatMap(({ Items = [] }) => Items as EdgeKey[])
    },
  }
}
