import { isDeepStrictEqual } from 'node:util'
import {
  CreateTableCommand,
  DeleteTableCommand,
  DescribeTableCommand,
  type DynamoDBClient,
  ResourceInUseException,
  ResourceNotFoundException,
  type TableDescription,
  waitUntilTableExists,
  waitUntilTableNotExists,
} from '@aws-sdk/client-dynamodb'
import { UserError } from '../../command-line/user-error.ts'
import type { Table } from '../template/environment-template.ts'

/**
 * Creates the tables that the database does not have yet. Without a time to live: whoever reads compares it with the clock
 * in any case.
 *
 * @throws UserError for a table with other keys or indexes than the template's: CloudFormation would replace or rebuild
 *   it, which nothing does here.
 */
export const createTables = async (client: DynamoDBClient, tables: readonly Table[]): Promise<void> => {
  const create = async ({ name: TableName, ...definition }: Table): Promise<void> => {
    const table = new CreateTableCommand({ TableName, BillingMode: 'PAY_PER_REQUEST', ...definition })
    await client.send(table).catch(unless(ResourceInUseException))
    await waitUntilTableExists({ client, ...waiting }, { TableName })
    const existing = await client.send(new DescribeTableCommand({ TableName }))
    if (isDeepStrictEqual(shapeOf(existing.Table), shapeOf(definition))) return
    throw new UserError(`The table ${TableName} has other keys or indexes than the template. Start with --fresh.`)
  }
  await Promise.all(tables.map(create))
}

/** Deletes those of the tables that are there. */
export const deleteTables = async (client: DynamoDBClient, tables: readonly Table[]): Promise<void> => {
  for (const { name: TableName } of tables) {
    await client.send(new DeleteTableCommand({ TableName })).catch(unless(ResourceNotFoundException))
    await waitUntilTableNotExists({ client, ...waiting }, { TableName })
  }
}

/** In seconds; the SDK's own pause is 20. */
const waiting = { minDelay: 0.01, maxDelay: 0.1, maxWaitTime: 30 }

const unless =
  (expected: typeof ResourceInUseException | typeof ResourceNotFoundException) =>
  (error: unknown): void => {
    if (!(error instanceof expected)) throw error
  }

/** What is the same for the same keys and indexes. */
const shapeOf = ({ KeySchema, GlobalSecondaryIndexes = [] }: TableDescription = {}) => [
  KeySchema,
  ...GlobalSecondaryIndexes.map(({ IndexName, KeySchema, Projection }) => ({ IndexName, KeySchema, Projection })),
]
