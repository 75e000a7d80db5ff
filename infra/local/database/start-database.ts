import { join } from 'node:path'
import type { Database, Engine } from './database.ts'
import { startDynalite } from './dynalite.ts'
import { startDynamodbLocal } from './dynamodb-local.ts'

/**
 * @param dataFolder where the engine keeps its files; without one the tables are in memory
 * @throws UserError when the engine cannot run here.
 */
export const startDatabase = (engine: Engine, dataFolder: string | undefined): Promise<Database> => {
  const folderNamed = (name: string) => (dataFolder === undefined ? undefined : join(dataFolder, name))
  switch (engine) {
    case 'dynalite':
      return startDynalite(folderNamed('dynamodb'))
    case 'dynamodb-local':
      return startDynamodbLocal(folderNamed('dynamodb-local'))
  }
}
