import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation'
import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { parseNumberAttribute } from '../../../shared/int64.ts'
import { defaultDataFolder } from '../../command-line/tool.ts'
import { UserError } from '../../command-line/user-error.ts'
import { type EnvironmentName, environments } from '../../environments.ts'
import { type AuditTrail, auditFile } from './audit.ts'
import { connectToLocalDatabase } from './local-database.ts'
import { type ResourceNames, readResourceNames, requireLocalEnvironment } from './local-environment-record.ts'

/** The environment that a command names. */
export interface EnvironmentSelector {
  readonly environment: 'local' | EnvironmentName
  /** The folder of the local one. */
  readonly data?: string | undefined
}

/** An environment as commands reach it, local or on AWS. */
export interface Environment extends EnvironmentSelector, ResourceNames, Disposable {
  /** Of the API, without a slash at its end. */
  readonly baseUrl: string
  readonly auditTrail: AuditTrail
  readonly database: DynamoDBDocumentClient
}

/** Enough, with ever longer waits, for about half a minute in which DynamoDB throttles. */
const maxAttempts = 8

/** @throws UserError when the environment does not run, or is not deployed */
export const openEnvironment = async ({ environment, data }: EnvironmentSelector): Promise<Environment> => {
  if (environment !== 'local' && data !== undefined) throw new UserError(`--env ${environment} does not take --data.`)
  const { client, ...found } = await (environment === 'local' ? findLocal(data) : findDeployed(environment))
  const database = DynamoDBDocumentClient.from(client, { unmarshallOptions: { wrapNumbers: parseNumberAttribute } })
  return { ...found, environment, database, [Symbol.dispose]: () => client.destroy() }
}

const findLocal = async (data = defaultDataFolder) => {
  const { baseUrl, tables, databaseEndpoint } = await requireLocalEnvironment(data)
  return {
    data,
    baseUrl,
    tables,
    auditTrail: { file: auditFile(data) },
    client: connectToLocalDatabase(databaseEndpoint),
  }
}

/** Reads the outputs of the stacks. */
const findDeployed = async (name: EnvironmentName) => {
  const { region } = environments[name]
  // Where infra/environments.ts names none, the SDK finds one.
  const place = region === undefined ? {} : { region }
  const stacks = [await describeStack(place, name, 'data'), await describeStack(place, name, 'api')]
  const outputs = stacks.flat().flatMap(({ Outputs = [] }) => Outputs)
  const output = (key: string): string => {
    const value = outputs.find(({ OutputKey }) => OutputKey === key)?.OutputValue
    if (value !== undefined) return value
    throw new UserError(`No stack of ${name} has the output ${key}. Deploy them again: npx cdk deploy '${name}/*'`)
  }
  return {
    ...readResourceNames(output),
    baseUrl: output('BaseUrl').replace(/\/$/, ''),
    auditTrail: { ...place, logGroupName: output('AuditLogGroupName') },
    client: new DynamoDBClient({ ...place, maxAttempts }),
  }
}

const describeStack = async (place: { readonly region?: string }, environment: EnvironmentName, part: string) => {
  const client = new CloudFormationClient(place)
  const StackName = `pet-adoption-${environment}-${part}`
  try {
    return (await client.send(new DescribeStacksCommand({ StackName }))).Stacks ?? []
  } catch (error) {
    // CloudFormation has no error of its own for a stack that is not there.
    if (!(error instanceof Error && error.name === 'ValidationError' && /does not exist/.test(error.message)))
      throw error
    throw new UserError(
      `The stack ${StackName} is not deployed in ${await client.config.region()} of this account. Set AWS_PROFILE and AWS_REGION, or ${environment}.region in infra/environments.ts, to where it is.`,
    )
  }
}
