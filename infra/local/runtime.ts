import type { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { localStage } from '../environments.ts'
import type { ResourceNames } from '../operations/target/resource-names.ts'
import { createTables } from './database/create-tables.ts'
import type { Database } from './database/dynalite.ts'
import type { Served } from './gateway/gateway.ts'
import { createFunctionHost, type FunctionHost } from './lambda/function-host.ts'
import { readEnvironmentTemplate } from './template/environment-template.ts'

/** What runs for one synthesized template. A changed template gets another one. */
export interface Runtime {
  readonly served: Served
  readonly functions: FunctionHost
  readonly names: ResourceNames
  /** The tables that were not there. */
  readonly created: readonly string[]
}

export interface RuntimeOptions {
  /** The folder of the cloud assembly. */
  readonly assembly: string
  readonly database: Database
  readonly client: DynamoDBClient
  readonly writeLine: (line: string) => void
}

/** @throws UserError when the template has something that the local environment does not support. */
export const createRuntime = async ({ assembly, database, client, writeLine }: RuntimeOptions): Promise<Runtime> => {
  const { tables, functions: described, restApi: api, names } = readEnvironmentTemplate(assembly, localStage)
  const created = await createTables(client, tables)
  const functions = createFunctionHost({ functions: described, databaseEndpoint: database.endpoint, writeLine })
  return { served: { api, functions }, functions, names, created }
}
