import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { readNumber } from '../../../shared/int64.ts'
import type { EnvironmentName } from '../../environments.ts'
import { findDeployed } from './deployed-environment.ts'
import { requireRunningEnvironment } from './environment-file.ts'
import { connect } from './local-database.ts'
import { regionOf } from './region.ts'
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
  readonly database: DynamoDBDocumentClient
}

/** Enough, with ever longer waits, for about half a minute in which DynamoDB throttles. */
const maxAttempts = 8

/** @throws UserError when the environment does not run, or is not deployed */
export const openEnvironment = async (target: Target): Promise<OpenEnvironment> => {
  const { client, baseUrl, tables } = await find(target)
  const database = DynamoDBDocumentClient.from(client, { unmarshallOptions: { wrapNumbers: readNumber } })
  return { environment: target.environment, baseUrl, tables, database, [Symbol.dispose]: () => client.destroy() }
}

const find = async (target: Target) => {
  if (target.environment === 'local') {
    const running = await requireRunningEnvironment(target.data)
    return { ...running, client: connect(running.databaseEndpoint) }
  }
  const client = new DynamoDBClient({ ...regionOf(target.environment), maxAttempts })
  return { ...(await findDeployed(target.environment)), client }
}
