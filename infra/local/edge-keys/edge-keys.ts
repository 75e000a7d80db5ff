import { DeleteItemCommand, type DynamoDBClient, GetItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb'
import type { Table } from '../template/tables.ts'

/**
 * What API Gateway keeps of an API key: its control plane, emulated by a table beside the
 * template's. The key administration writes it, the gateway reads it for every request, so a key
 * works, or works no more, from the next request on.
 */
export interface EdgeKey {
  /** The API Gateway key's value, which the authorizer gives as `usageIdentifierKey`. */
  readonly value: string
  readonly name: string
  readonly usagePlanId: string
}

export const edgeKeysTable = {
  name: 'local-api-gateway-keys',
  partitionKey: 'value',
  sortKey: undefined,
  attributeTypes: { value: 'S' },
  indexes: [],
  timeToLive: undefined,
} as const satisfies Table

export interface EdgeKeys {
  /** Adds a key, or replaces the one of the same value. */
  put(key: EdgeKey): Promise<void>
  remove(value: string): Promise<void>
  get(value: string): Promise<EdgeKey | undefined>
}

const TableName = edgeKeysTable.name

export const createEdgeKeys = (client: DynamoDBClient): EdgeKeys => ({
  put: async ({ value, name, usagePlanId }) => {
    const Item = { value: { S: value }, name: { S: name }, usagePlanId: { S: usagePlanId } }
    await client.send(new PutItemCommand({ TableName, Item }))
  },
  remove: async (value) => {
    await client.send(new DeleteItemCommand({ TableName, Key: { value: { S: value } } }))
  },
  get: async (value) => {
    const { Item } = await client.send(
      new GetItemCommand({ TableName, Key: { value: { S: value } }, ConsistentRead: true }),
    )
    if (Item === undefined) return undefined
    return {
      value,
      name: Item['name']?.S ?? '',
      usagePlanId: Item['usagePlanId']?.S ?? '',
    }
  },
})
