import { setTimeout } from 'node:timers/promises'
import {
  CreateTableCommand,
  DescribeTableCommand,
  type DynamoDBClient,
  type KeySchemaElement,
  type ProjectionType,
  ResourceNotFoundException,
  type ScalarAttributeType,
  UpdateTimeToLiveCommand,
} from '@aws-sdk/client-dynamodb'
import { UserError } from '../../command-line/user-error.ts'
import type { Table, TableKey } from '../template/tables.ts'
import type { Database } from './database.ts'

/**
 * Creates the tables that the database does not have yet.
 *
 * @throws UserError for a table with other keys or indexes than the template's: CloudFormation would
 * replace or rebuild it, which nothing does here.
 */
export const createTables = async (
  client: DynamoDBClient,
  database: Database,
  tables: readonly Table[],
): Promise<void> => {
  await Promise.all(tables.map((table) => createTable(client, database, table)))
}

const createTable = async (client: DynamoDBClient, database: Database, table: Table): Promise<void> => {
  const existing = await describe(client, table.name)
  if (existing !== undefined) {
    if (existing === shape(table)) return
    throw new UserError(`The table ${table.name} has other keys or indexes than the template. Start with --fresh.`)
  }
  await client.send(
    new CreateTableCommand({
      TableName: table.name,
      BillingMode: 'PAY_PER_REQUEST',
      KeySchema: keySchema(table),
      AttributeDefinitions: Object.entries(table.attributeTypes).map(([AttributeName, type]) => ({
        AttributeName,
        // The template's text is the service's own enumeration; the engine refuses any other.
        AttributeType: type as ScalarAttributeType,
      })),
      ...(table.indexes.length > 0 && {
        GlobalSecondaryIndexes: table.indexes.map((index) => ({
          IndexName: index.name,
          KeySchema: keySchema(index),
          Projection: {
            ProjectionType: index.projection.type as ProjectionType,
            ...(index.projection.attributes.length > 0 && { NonKeyAttributes: [...index.projection.attributes] }),
          },
        })),
      }),
    }),
  )
  await becomeActive(client, table.name)
  if (database.deletesExpiredItems && table.timeToLive !== undefined) {
    const TimeToLiveSpecification = { AttributeName: table.timeToLive, Enabled: true }
    await client.send(new UpdateTimeToLiveCommand({ TableName: table.name, TimeToLiveSpecification }))
  }
}

/** A table takes no request before it is active. The SDK's own waiter checks every 20 seconds only. */
const becomeActive = async (client: DynamoDBClient, name: string): Promise<void> => {
  for (;;) {
    const { Table } = await client.send(new DescribeTableCommand({ TableName: name }))
    if (Table?.TableStatus === 'ACTIVE') return
    await setTimeout(5)
  }
}

/** The shape of a table that exists, to compare with the template's; `undefined` where there is none. */
const describe = async (client: DynamoDBClient, name: string): Promise<string | undefined> => {
  try {
    const { Table } = await client.send(new DescribeTableCommand({ TableName: name }))
    const indexes = (Table?.GlobalSecondaryIndexes ?? []).map(
      ({ IndexName, KeySchema, Projection }) =>
        `${IndexName}(${describeKey(KeySchema)}) ${Projection?.ProjectionType} ${(Projection?.NonKeyAttributes ?? []).toSorted()}`,
    )
    return [describeKey(Table?.KeySchema), ...indexes.toSorted()].join('; ')
  } catch (error) {
    if (error instanceof ResourceNotFoundException) return undefined
    throw error
  }
}

const shape = (table: Table): string => {
  const indexes = table.indexes.map(
    (index) =>
      `${index.name}(${describeKey(keySchema(index))}) ${index.projection.type} ${index.projection.attributes.toSorted()}`,
  )
  return [describeKey(keySchema(table)), ...indexes.toSorted()].join('; ')
}

const describeKey = (schema: readonly KeySchemaElement[] = []): string =>
  schema.map(({ KeyType, AttributeName }) => `${KeyType} ${AttributeName}`).join(', ')

const keySchema = ({ partitionKey, sortKey }: TableKey): KeySchemaElement[] => [
  { AttributeName: partitionKey, KeyType: 'HASH' },
  ...(sortKey === undefined ? [] : [{ AttributeName: sortKey, KeyType: 'RANGE' as const }]),
]
