import { CloudFormationClient, DescribeStacksCommand, type Output } from '@aws-sdk/client-cloudformation'
import { UserError } from '../../command-line/user-error.ts'
import type { EnvironmentName } from '../../environments.ts'
import { regionOf } from './region.ts'
import { readResourceNames } from './resource-names.ts'

export type DeployedEnvironment = Awaited<ReturnType<typeof findDeployed>>

/**
 * An environment on AWS, by the outputs of its stacks.
 *
 * @throws UserError when a stack is not deployed, or was deployed without one of the outputs
 */
export const findDeployed = async (name: EnvironmentName) => {
  const client = new CloudFormationClient(regionOf(name))
  const outputs = [...(await outputsOf(client, name, 'data')), ...(await outputsOf(client, name, 'api'))]
  const output = (key: string): string => {
    const value = outputs.find(({ OutputKey }) => OutputKey === key)?.OutputValue
    if (value !== undefined) return value
    throw new UserError(`No stack of ${name} has the output ${key}. Deploy them again: npx cdk deploy '${name}/*'`)
  }
  return {
    name,
    /** Without a slash at its end. */
    baseUrl: output('BaseUrl').replace(/\/$/, ''),
    /** With one line of JSON for each request. */
    accessLogGroup: output('AccessLogGroupName'),
    /** With one line for each change that an operator makes. */
    auditLogGroup: output('AuditLogGroupName'),
    ...readResourceNames(output),
  }
}

const outputsOf = async (
  client: CloudFormationClient,
  environment: EnvironmentName,
  part: 'data' | 'api',
): Promise<readonly Output[]> => {
  const StackName = `pet-adoption-${environment}-${part}`
  try {
    const { Stacks: [stack] = [] } = await client.send(new DescribeStacksCommand({ StackName }))
    return stack?.Outputs ?? []
  } catch (error) {
    // CloudFormation has no error of its own for a stack that is not there.
    if (!(error instanceof Error && error.name === 'ValidationError' && /does not exist/.test(error.message)))
      throw error
    throw new UserError(
      `The stack ${StackName} is not deployed in ${await client.config.region()} of this account. Set AWS_PROFILE and AWS_REGION, or ${environment}.region in infra/environments.ts, to where it is.`,
    )
  }
}
