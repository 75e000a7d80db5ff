import {
  type AttributeValue,
  DeleteItemCommand,
  type DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  paginateScan,
} from '@aws-sdk/client-dynamodb'

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

export interface EdgeKeys {
  /** Adds a key, or replaces the one of the same value. */
  put(key: EdgeKey): Promise<void>
  remove(value: string): Promise<void>
  get(value: string): Promise<EdgeKey | undefined>
  list(): Promise<EdgeKey[]>
}

/** @param TableName a table other than that of the local environment */
export const createEdgeKeys = (client: DynamoDBClient, TableName: string = edgeKeysTable.name): EdgeKeys => ({
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
    return Item === undefined ? undefined : readEdgeKey(Item)
  },
  list: async () => {
    const keys: EdgeKey[] = []
    for await (const { Items = [] } of paginateScan({ client }, { TableName, ConsistentRead: true })) {
      keys.push(...Items.map(readEdgeKey))
    }
    return keys
  },
})

const readEdgeKey = (item: Readonly<Record<string, AttributeValue>>): EdgeKey => ({
  value: item['value']?.S ?? '',
  name: item['name']?.S ?? '',
  usagePlanId: item['usagePlanId']?.S ?? '',
})
