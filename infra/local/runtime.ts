import type { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { localStage } from '../environments.ts'
import { createEdgeKeys, edgeKeysTable } from '../operations/target/edge-keys.ts'
import type { ResourceNames } from '../operations/target/resource-names.ts'
import { createTables } from './database/create-tables.ts'
import type { Database } from './database/database.ts'
import type { Served } from './gateway/gateway.ts'
import type { Usage } from './gateway/meter.ts'
import { createFunctionHost, type FunctionHost } from './lambda/function-host.ts'
import { namesIn, readEnvironmentTemplate } from './template/environment-template.ts'

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
  /** Outlives a template, as the counts of API Gateway outlive a deployment. */
  readonly usage: Usage
  readonly writeLine: (line: string) => void
}

/** @throws UserError when the template has something that the local environment does not support. */
export const createRuntime = async (options: RuntimeOptions): Promise<Runtime> => {
  const { assembly, database, client, usage, writeLine } = options
  const template = readEnvironmentTemplate(assembly, localStage)
  const created = await createTables(client, database, [...template.tables, edgeKeysTable])
  const functions = createFunctionHost({
    functions: template.functions,
    databaseEndpoint: database.endpoint,
    writeLine: (functionName, line) =>
      writeLine(`[${template.functions.get(functionName)?.operation ?? functionName}] ${line}`),
  })
  const usageMeter = { edgeKeys: createEdgeKeys(client), usage }
  return { served: { api: template.restApi, functions, usageMeter }, functions, names: namesIn(template), created }
}
