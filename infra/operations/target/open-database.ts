import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { findDeployed } from './deployed-environment.ts'
import { requireRunningEnvironment } from './environment-file.ts'
import { connect } from './local-database.ts'
import type { Target } from './open-environment.ts'
import { regionOf } from './region.ts'
import type { ResourceNames } from './resource-names.ts'

/** Enough, with ever longer waits, for about half a minute in which DynamoDB throttles. */
const maxAttempts = 8

/**
 * The tables of an environment, and a client that reaches them.
 *
 * @throws UserError when the environment does not run, or is not deployed
 */
export const openDatabase = async (
  target: Target,
): Promise<{ readonly database: DynamoDBClient; readonly tables: ResourceNames['tables'] }> => {
  if (target.environment === 'local') {
    const { databaseEndpoint, tables } = await requireRunningEnvironment(target.data)
    return { database: connect(databaseEndpoint), tables }
  }
  const { tables } = await findDeployed(target.environment)
  return { database: new DynamoDBClient({ ...regionOf(target.environment), maxAttempts }), tables }
}
