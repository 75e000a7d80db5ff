import { join } from 'node:path'
import type { Database, Engine } from './database.ts'
import { startDynalite } from './dynalite.ts'
import { startDynamodbLocal } from './dynamodb-local.ts'

/**
 * @param dataFolder where the engine keeps its files; without one, the tables are in memory.
 * @throws ClearError when the engine cannot run here.
 */
export const startDatabase = (engine: Engine, dataFolder: string | undefined): Promise<Database> => {
  switch (engine) {
    case 'dynalite':
      return startDynalite(storage(dataFolder, 'dynamodb'))
    case 'dynamodb-local':
      return startDynamodbLocal(storage(dataFolder, 'dynamodb-local'))
  }
}

const storage = (dataFolder: string | undefined, name: string) =>
  dataFolder === undefined
    ? ({ kind: 'memory' } as const)
    : ({ kind: 'folder', folder: join(dataFolder, name) } as const)
