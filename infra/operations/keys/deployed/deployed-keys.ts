import { APIGatewayClient } from '@aws-sdk/client-api-gateway'
import { CloudWatchLogsClient } from '@aws-sdk/client-cloudwatch-logs'
import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { KeyTable } from '../../../../shared/api-keys/key-table.ts'
import { systemClock } from '../../../../shared/clock.ts'
import { type EnvironmentName, environments } from '../../../environments.ts'
import { findDeployed } from '../../target/deployed-environment.ts'
import { regionOf } from '../../target/region.ts'
import { KeyAdministration } from '../administration.ts'
import { usageIn } from './access-log.ts'
import { GatewayRegistry } from './gateway-registry.ts'

/** The keys of an environment on AWS, and what reaches them. */
export type DeployedKeys = Awaited<ReturnType<typeof openDeployedKeys>>

/** API Gateway takes five new keys a second of an account: enough tries, ever further apart, for a rush. */
const maxAttempts = 10

/**
 * Finds an environment on AWS by its stacks. Credentials, profile, Region and endpoints are the AWS SDK's
 * own defaults, unless the settings name the Region of the environment.
 */
export const openDeployedKeys = async (name: EnvironmentName) => {
  const { apiKeyPrefix } = environments[name]
  const options = regionOf(name)
  const environment = await findDeployed(name)
  const database = new DynamoDBClient(options)
  const gateway = new APIGatewayClient({ ...options, maxAttempts })
  const table = new KeyTable(DynamoDBDocumentClient.from(database), environment.tables.apiKeys)
  const registry = new GatewayRegistry(gateway, environment)
  return {
    environment,
    administration: new KeyAdministration(table, registry, apiKeyPrefix, systemClock),
    readUsage: usageIn(new CloudWatchLogsClient(options), environment.accessLogGroup),
    table,
    gateway,
    database,
  }
}
