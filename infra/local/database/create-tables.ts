import {
  CreateTableCommand,
  DeleteTableCommand,
  DescribeTableCommand,
  type DynamoDBClient,
  type KeySchemaElement,
  ResourceNotFoundException,
  type TableDescription,
  UpdateTimeToLiveCommand,
  waitUntilTableExists,
  waitUntilTableNotExists,
} from '@aws-sdk/client-dynamodb'
import { UserError } from '../../command-line/user-error.ts'
import type { Table } from '../template/environment-template.ts'
import type { Database } from './database.ts'

/**
 * Creates the tables that the database does not have yet.
 *
 * @returns the names of those
 * @throws UserError for a table with other keys or indexes than the template's: CloudFormation would
 * replace or rebuild it, which nothing does here.
 */
export const createTables = async (
  client: DynamoDBClient,
  database: Database,
  tables: readonly Table[],
): Promise<readonly string[]> => {
  const created = await Promise.all(tables.map((table) => createTable(client, database, table)))
  return tables.map(({ name }) => name).filter((_, place) => created[place])
}

/** Deletes those of the tables that are there. */
export const deleteTables = async (client: DynamoDBClient, tables: readonly Table[]): Promise<void> => {
  for (const { name: TableName } of tables) {
    if ((await describe(client, TableName)) === undefined) continue
    await client.send(new DeleteTableCommand({ TableName }))
    await waitUntilTableNotExists({ client, ...waiting }, { TableName })
  }
}

/** In seconds; the SDK's own pause is 20. */
const waiting = { minDelay: 0.01, maxDelay: 0.1, maxWaitTime: 30 }

/** @returns whether it was not there */
const createTable = async (client: DynamoDBClient, database: Database, table: Table): Promise<boolean> => {
  const { name, timeToLive, KeySchema, AttributeDefinitions, GlobalSecondaryIndexes = [] } = table
  const existing = await describe(client, name)
  if (existing !== undefined) {
    if (shapeOf(existing) === shapeOf({ KeySchema, GlobalSecondaryIndexes })) return false
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
  await waitUntilTableExists({ client, ...waiting }, { TableName: name })
  if (database.deletesExpiredItems && timeToLive !== undefined) {
    const TimeToLiveSpecification = { AttributeName: timeToLive, Enabled: true }
    await client.send(new UpdateTimeToLiveCommand({ TableName: name, TimeToLiveSpecification }))
  }
  return true
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
