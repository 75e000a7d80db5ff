import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation'
import { UserError } from '../../command-line/user-error.ts'
import { type EnvironmentName, environments } from '../../environments.ts'
import { readResourceNames } from './resource-names.ts'

/** The Region of an environment, for a client of AWS's SDK. Where infra/environments.ts names none, the SDK finds one. */
export const regionOf = (environment: EnvironmentName): { readonly region?: string } => {
  const { region } = environments[environment]
  return region === undefined ? {} : { region }
}

export type DeployedEnvironment = Awaited<ReturnType<typeof findDeployed>>

/**
 * An environment on AWS, by the outputs of its stacks.
 *
 * @throws UserError when a stack is not deployed, or was deployed without one of the outputs
 */
export const findDeployed = async (name: EnvironmentName) => {
  const outputs = new Map([...(await outputsOf(name, 'data')), ...(await outputsOf(name, 'api'))])
  const output = (key: string): string => {
    const value = outputs.get(key)
    if (value !== undefined) return value
    throw new UserError(`No stack of ${name} has the output ${key}. Deploy them again: npx cdk deploy '${name}/*'`)
  }
  return {
    name,
    /** Without a slash at its end. */
    baseUrl: output('BaseUrl').replace(/\/$/, ''),
    /** With one line for each change that an operator makes. */
    auditLogGroup: output('AuditLogGroupName'),
    ...readResourceNames(output),
  }
}

const outputsOf = async (environment: EnvironmentName, part: 'data' | 'api') => {
  const client = new CloudFormationClient(regionOf(environment))
  const StackName = `pet-adoption-${environment}-${part}`
  try {
    const { Stacks = [] } = await client.send(new DescribeStacksCommand({ StackName }))
    return Stacks.flatMap(({ Outputs = [] }) => Outputs).map(
      ({ OutputKey, OutputValue }) => [OutputKey, OutputValue] as const,
    )
  } catch (error) {
    // CloudFormation has no error of its own for a stack that is not there.
    if (!(error instanceof Error && error.name === 'ValidationError' && /does not exist/.test(error.message)))
      throw error
    throw new UserError(
      `The stack ${StackName} is not deployed in ${await client.config.region()} of this account. Set AWS_PROFILE and AWS_REGION, or ${environment}.region in infra/environments.ts, to where it is.`,
    )
  }
}
