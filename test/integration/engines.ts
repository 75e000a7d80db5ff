import { randomBytes } from 'node:crypto'
import { type DynamoDBClient, waitUntilTableExists } from '@aws-sdk/client-dynamodb'
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { App } from 'aws-cdk-lib'
import { describe, inject } from 'vitest'
import { connect } from '../../infra/local/database/client.ts'
import { createTables } from '../../infra/local/database/create-tables.ts'
import { resourceNames } from '../../infra/local/resource-names.ts'
import { readEnvironmentTemplate } from '../../infra/local/template/environment-template.ts'
import { readNumber } from '../../shared/dynamodb/numbers.ts'
import { createStage } from '../infra/synthesized.ts'

/** A DynamoDB engine that runs. */
export interface RunningEngine {
  readonly name: string
  readonly endpoint: string
}

export type TableNames = ReturnType<typeof resourceNames>['tables']

/** Describes the service on each engine; where one cannot run on this machine, it is skipped. */
export const describeOnEachEngine = (what: string, body: (engine: RunningEngine) => void): void => {
  for (const { name, endpoint } of inject('engines')) {
    describe.skipIf(endpoint === null)(`${what}, on ${name}`, () => body({ name, endpoint: endpoint ?? '' }))
  }
}

/** A client that reads numbers as the service's own does. */
export const clientOf = (engine: RunningEngine): { client: DynamoDBDocumentClient; plain: DynamoDBClient } => {
  const plain = connect(engine.endpoint)
  return { plain, client: DynamoDBDocumentClient.from(plain, { unmarshallOptions: { wrapNumbers: readNumber } }) }
}

const synthesize = (): string => {
  const { root } = createStage('staging').node
  if (!(root instanceof App)) throw new Error('A stage stands in an app.')
  return root.synth().directory
}

const template = readEnvironmentTemplate(synthesize(), 'staging')

/** Creates the tables of the synthesized template anew, empty, for one test alone. */
export const createFreshTables = async (engine: RunningEngine): Promise<TableNames> => {
  const suite = randomBytes(4).toString('hex')
  const renamed = (name: string): string => `${suite}-${name}`
  // Clocks are set by the tests, so an engine that deletes by its own would delete too early.
  const database = { endpoint: engine.endpoint, deletesExpiredItems: false, close: async () => undefined }
  const tables = template.tables.map((table) => ({ ...table, name: renamed(table.name) }))
  const client = connect(engine.endpoint)
  await createTables(client, database, tables)
  const waiting = { client, minDelay: 0.05, maxDelay: 0.2, maxWaitTime: 10 }
  await Promise.all(tables.map(({ name }) => waitUntilTableExists(waiting, { TableName: name })))
  const { pets, apiKeys, idempotency } = resourceNames(template).tables
  return { pets: renamed(pets), apiKeys: renamed(apiKeys), idempotency: renamed(idempotency) }
}
