import { isDeepStrictEqual } from 'node:util'
import {
  CreateTableCommand,
  DescribeTableCommand,
  type DynamoDBClient,
  ResourceInUseException,
  type TableDescription,
  waitUntilTableExists,
} from '@aws-sdk/client-dynamodb'
import { UserError } from '../../command-line/user-error.ts'
import type { Table } from '../template/environment-template.ts'

/** Options of the SDK's waiters, in seconds. Their default delay between two checks is 20 seconds. */
const waiterOptions = { minDelay: 0.01, maxDelay: 0.1, maxWaitTime: 30 }

/**
 * Creates the tables that the database does not have yet.
 *
 * On AWS, CloudFormation creates the tables with a time to live and replaces a table whose keys change. The local
 * tables have no time to live, because readers compare the time in any case. A table with other keys is an error here.
 *
 * @throws UserError if an existing table has other keys or indexes than the template's
 */
export const createTables = async (client: DynamoDBClient, tables: readonly Table[]): Promise<void> => {
  await Promise.all(tables.map((table) => createTable(client, table)))
}

const createTable = async (client: DynamoDBClient, { name, ...definition }: Table): Promise<void> => {
  const command = new CreateTableCommand({ TableName: name, BillingMode: 'PAY_PER_REQUEST', ...definition })
  await client.send(command).catch((error: unknown) => {
    if (!(error instanceof ResourceInUseException)) throw error
  })
  await waitUntilTableExists({ client, ...waiterOptions }, { TableName: name })

  const existing = await client.send(new DescribeTableCommand({ TableName: name }))
  if (!isDeepStrictEqual(readKeysAndIndexes(existing.Table), readKeysAndIndexes(definition))) {
    throw new UserError(`The table ${name} has other keys or indexes than the template. Start with --fresh.`)
  }
}

/** Reads the part of a table's definition that must be the same in the database and in the template. */
const readKeysAndIndexes = ({ KeySchema, GlobalSecondaryIndexes = [] }: TableDescription = {}) => {
  const indexes = GlobalSecondaryIndexes.map((index) => ({
    IndexName: index.IndexName,
    KeySchema: index.KeySchema,
    Projection: index.Projection,
  }))
  return { KeySchema, indexes }
}
