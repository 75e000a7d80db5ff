import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { readNumber } from '../../../shared/int64.ts'
import type { EnvironmentName } from '../../environments.ts'
import { auditFile } from './audit.ts'
import { findDeployed, regionOf } from './deployed-environment.ts'
import { requireRunningEnvironment } from './environment-file.ts'
import { connect } from './local-database.ts'
import type { ResourceNames } from './resource-names.ts'

/** The environment that a command names, the local one by its data folder. */
export type Target =
  | { readonly environment: 'local'; readonly data: string }
  | { readonly environment: EnvironmentName }

/** An environment as commands reach it, local or on AWS. */
export interface OpenEnvironment extends Disposable {
  readonly environment: Target['environment']
  /** Of the API, without a slash at its end. */
  readonly baseUrl: string
  readonly tables: ResourceNames['tables']
  /** Where the lines of the audit go: a log group on AWS, a file locally. */
  readonly auditTrail: string
  readonly database: DynamoDBDocumentClient
}

/** Enough, with ever longer waits, for about half a minute in which DynamoDB throttles. */
const maxAttempts = 8

/** @throws UserError when the environment does not run, or is not deployed */
export const openEnvironment = async (target: Target): Promise<OpenEnvironment> => {
  const { client, ...found } = await find(target)
  const database = DynamoDBDocumentClient.from(client, { unmarshallOptions: { wrapNumbers: readNumber } })
  return { ...found, environment: target.environment, database, [Symbol.dispose]: () => client.destroy() }
}

const find = async (target: Target) => {
  if (target.environment === 'local') {
    const { baseUrl, tables, databaseEndpoint } = await requireRunningEnvironment(target.data)
    return { baseUrl, tables, auditTrail: auditFile(target.data), client: connect(databaseEndpoint) }
  }
  const client = new DynamoDBClient({ ...regionOf(target.environment), maxAttempts })
  const { baseUrl, tables, auditLogGroup } = await findDeployed(target.environment)
  return { baseUrl, tables, auditTrail: auditLogGroup, client }
}
