import { CloudFormationClient } from '@aws-sdk/client-cloudformation'
import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { UserError } from '../../command-line/user-error.ts'
import { type EnvironmentName, environments } from '../../environments.ts'
import { withUserErrors } from '../target/aws-errors.ts'
import { findDeployedEnvironment } from '../target/deployed-environment.ts'
import { findRunningEnvironment } from '../target/environment-file.ts'
import { connect } from '../target/local-database.ts'
import type { SeedCommand } from './seed-command.ts'

/** The pets table of an environment, and a client that reaches it. */
export interface SeedTarget {
  readonly client: DynamoDBDocumentClient
  readonly table: string
}

/** @throws UserError when the environment is not to be found. */
export const findTarget = async ({ environment, data }: SeedCommand): Promise<SeedTarget> =>
  environment === 'local' ? findLocal(data) : findDeployed(environment)

const findLocal = async (dataFolder: string): Promise<SeedTarget> => {
  const running = await findRunningEnvironment(dataFolder)
  if (running === undefined) {
    throw new UserError(
      `No local environment runs on the data folder ${dataFolder}. Start one with "npm start", or name its folder with --data.`,
    )
  }
  return target(connect(running.databaseEndpoint), running.tables.pets)
}

const findDeployed = async (environment: EnvironmentName): Promise<SeedTarget> => {
  const { region } = environments[environment]
  const place = region === undefined ? {} : { region }
  const { tables } = await withUserErrors(() => findDeployedEnvironment(new CloudFormationClient(place), environment))
  return target(new DynamoDBClient(place), tables.pets)
}

const target = (client: DynamoDBClient, table: string): SeedTarget => ({
  client: DynamoDBDocumentClient.from(client),
  table,
})
