import type { TestProject } from 'vitest/node'
import { ClearError } from '../../infra/command-line/clear-error.ts'
import type { Database, Engine } from '../../infra/local/database/database.ts'
import { startDynalite } from '../../infra/local/database/dynalite.ts'
import { startDynamodbLocal } from '../../infra/local/database/dynamodb-local.ts'

/** An engine that the tests run on; without an endpoint they are skipped. */
export interface ProvidedEngine {
  readonly name: Engine
  readonly endpoint: string | null
}

declare module 'vitest' {
  export interface ProvidedContext {
    readonly engines: readonly ProvidedEngine[]
  }
}

/** No folder: the tables are in memory. */
const inMemory = undefined

/** Starts both engines once for all tests of the data layer: dynalite, and DynamoDB Local where Java is. */
export default async (project: TestProject): Promise<() => Promise<void>> => {
  const dynalite = await startDynalite(inMemory)
  const dynamodbLocal = await startOfficial()
  project.provide('engines', [
    { name: 'dynalite', endpoint: dynalite.endpoint },
    { name: 'dynamodb-local', endpoint: dynamodbLocal?.endpoint ?? null },
  ])
  return async () => {
    await Promise.all([dynalite.close(), dynamodbLocal?.close()])
  }
}

/** In continuous integration nothing is skipped unseen. */
const startOfficial = async (): Promise<Database | undefined> => {
  try {
    return await startDynamodbLocal(inMemory)
  } catch (error) {
    if (!(error instanceof ClearError) || process.env['CI'] === 'true') throw error
    console.log(`The integration tests on DynamoDB Local are skipped: ${error.message}`)
    return undefined
  }
}
