import { type CloudFormationClient, DescribeStacksCommand, type Stack } from '@aws-sdk/client-cloudformation'
import { UserError } from '../../command-line/user-error.ts'
import type { EnvironmentName } from '../../environments.ts'
import { type ResourceNames, readResourceNames } from './resource-names.ts'

/** An environment on AWS, as the outputs of its stacks describe it. */
export interface DeployedEnvironment extends ResourceNames {
  readonly name: EnvironmentName
  /** Without a slash at its end. */
  readonly baseUrl: string
  /** The log group with one line of JSON for each request. */
  readonly accessLogGroup: string
  /** The log group with one line for each change that an operator makes. */
  readonly auditLogGroup: string
}

/** @throws UserError when a stack is not deployed, or was deployed without one of the outputs. */
export const findDeployedEnvironment = async (
  client: CloudFormationClient,
  name: EnvironmentName,
): Promise<DeployedEnvironment> => {
  const stacks = [await findStack(client, name, 'data'), await findStack(client, name, 'api')]
  const output = (key: string): string => {
    const outputs = stacks.flatMap(({ Outputs = [] }) => Outputs)
    const value = outputs.find(({ OutputKey }) => OutputKey === key)?.OutputValue
    if (value !== undefined) return value
    const states = stacks.map(({ StackName, StackStatus }) => `${StackName} (${StackStatus})`).join(' and ')
    throw new UserError(`The stacks ${states} have no output ${key}. Deploy them again: npx cdk deploy '${name}/*'`)
  }
  return {
    name,
    baseUrl: output('BaseUrl').replace(/\/$/, ''),
    accessLogGroup: output('AccessLogGroupName'),
    auditLogGroup: output('AuditLogGroupName'),
    ...readResourceNames(output),
  }
}

const findStack = async (
  client: CloudFormationClient,
  environment: EnvironmentName,
  part: 'data' | 'api',
): Promise<Stack> => {
  const stackName = `pet-adoption-${environment}-${part}`
  const stack = await describe(client, stackName)
  if (stack !== undefined) return stack
  const region = await client.config.region()
  throw new UserError(
    `The stack ${stackName} is not deployed in ${region} of this account. Deploy it with "npx cdk deploy '${environment}/*'", or set AWS_REGION and AWS_PROFILE to where it is.`,
  )
}

const describe = async (client: CloudFormationClient, StackName: string): Promise<Stack | undefined> => {
  try {
    const { Stacks } = await client.send(new DescribeStacksCommand({ StackName }))
    return Stacks?.[0]
  } catch (error) {
    // CloudFormation has no error of its own for a stack that is not there.
    const isMissing = error instanceof Error && error.name === 'ValidationError' && /does not exist/.test(error.message)
    if (isMissing) return undefined
    throw error
  }
}
