import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { regionOf } from '../../settings.ts'
import { findDeployed } from './deployed-environment.ts'
import { requireRunningEnvironment } from './environment-file.ts'
import { connect } from './local-database.ts'
import type { ResourceNames } from './resource-names.ts'
import type { Target } from './target-tool.ts'

/**
 * The tables of an environment, and a client that reaches them.
 *
 * @param maxAttempts how often AWS's SDK sends a call that DynamoDB throttles, with ever longer waits
 * @throws UserError when the environment does not run, or is not deployed
 */
export const openDatabase = async (
  target: Target,
  maxAttempts = 3,
): Promise<{ readonly database: DynamoDBClient; readonly tables: ResourceNames['tables'] }> => {
  if (target.environment === 'local') {
    const { databaseEndpoint, tables } = await requireRunningEnvironment(target.data)
    return { database: connect(databaseEndpoint), tables }
  }
  const { tables } = await findDeployed(target.environment)
  return { database: new DynamoDBClient({ ...regionOf(target.environment), maxAttempts }), tables }
}
