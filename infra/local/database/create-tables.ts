import { setTimeout } from 'node:timers/promises'
import {
  CreateTableCommand,
  DescribeTableCommand,
  type DynamoDBClient,
  type KeySchemaElement,
  ResourceNotFoundException,
  type TableDescription,
  UpdateTimeToLiveCommand,
} from '@aws-sdk/client-dynamodb'
import { UserError } from '../../command-line/user-error.ts'
import type { Table } from '../template/tables.ts'
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
  const { name, timeToLive, KeySchema, AttributeDefinitions, GlobalSecondaryIndexes = [] } = table
  const existing = await describe(client, name)
  if (existing !== undefined) {
    if (shapeOf(existing) === shapeOf({ KeySchema, GlobalSecondaryIndexes })) return
    throw new UserError(`The table ${name} has other keys or indexes than the template. Start with --fresh.`)
  }
  await client.send(
    new CreateTableCommand({
      TableName: name,
      BillingMode: 'PAY_PER_REQUEST',
      KeySchema,
      AttributeDefinitions,
      ...(GlobalSecondaryIndexes.length > 0 && { GlobalSecondaryIndexes }),
    }),
  )
  await becomeActive(client, name)
  if (database.deletesExpiredItems && timeToLive !== undefined) {
    const TimeToLiveSpecification = { AttributeName: timeToLive, Enabled: true }
    await client.send(new UpdateTimeToLiveCommand({ TableName: name, TimeToLiveSpecification }))
  }
}

/** A table accepts no request before it is active. The SDK's own waiter checks every 20 seconds only. */
const becomeActive = async (client: DynamoDBClient, name: string): Promise<void> => {
  while ((await describe(client, name))?.TableStatus !== 'ACTIVE') await setTimeout(5)
}

/** @returns undefined where there is no such table */
const describe = async (client: DynamoDBClient, name: string): Promise<TableDescription | undefined> => {
  try {
    return (await client.send(new DescribeTableCommand({ TableName: name }))).Table
  } catch (error) {
    if (error instanceof ResourceNotFoundException) return undefined
    throw error
  }
}

/** A text that is the same for the same keys and indexes. */
const shapeOf = ({ KeySchema, GlobalSecondaryIndexes = [] }: TableDescription): string => {
  const indexes = GlobalSecondaryIndexes.map(
    ({ IndexName, KeySchema, Projection }) =>
      `${IndexName}(${describeKey(KeySchema)}) ${Projection?.ProjectionType} ${(Projection?.NonKeyAttributes ?? []).toSorted()}`,
  )
  return [describeKey(KeySchema), ...indexes.toSorted()].join('; ')
}

const describeKey = (schema: readonly KeySchemaElement[] = []): string =>
  schema.map(({ KeyType, AttributeName }) => `${KeyType} ${AttributeName}`).join(', ')
