import { type CloudFormationClient, DescribeStacksCommand, type Stack } from '@aws-sdk/client-cloudformation'
import type { Plan } from '../../../shared/api-keys/plans.ts'
import type { EnvironmentName } from '../../environments.ts'
import { ClearError } from '../command-line/clear-error.ts'

/** What CloudFormation tells of an environment on AWS. */
export interface DeployedEnvironment {
  readonly name: EnvironmentName
  /** Without a slash at its end. */
  readonly baseUrl: string
  readonly tables: { readonly pets: string; readonly apiKeys: string }
  readonly usagePlanIds: Readonly<Record<Plan, string>>
}

/** @throws ClearError when a stack is not deployed, or was deployed without one of the outputs. */
export const findDeployedEnvironment = async (
  client: CloudFormationClient,
  name: EnvironmentName,
): Promise<DeployedEnvironment> => {
  const data = await readOutputs(client, name, 'data')
  const api = await readOutputs(client, name, 'api')
  return {
    name,
    baseUrl: api('BaseUrl').replace(/\/$/, ''),
    tables: { pets: data('PetsTableName'), apiKeys: data('ApiKeysTableName') },
    usagePlanIds: {
      free: api('FreeUsagePlanId'),
      pro: api('ProUsagePlanId'),
      business: api('BusinessUsagePlanId'),
      enterprise: api('EnterpriseUsagePlanId'),
    },
  }
}

type Outputs = (name: string) => string

const readOutputs = async (
  client: CloudFormationClient,
  environment: EnvironmentName,
  part: 'data' | 'api',
): Promise<Outputs> => {
  const stackName = `pet-adoption-${environment}-${part}`
  const stack = await describe(client, stackName)
  if (stack === undefined) {
    const region = await client.config.region()
    throw new ClearError(
      `The stack ${stackName} is not deployed in ${region} of this account. Deploy it with "npx cdk deploy '${environment}/*'", or set AWS_REGION and AWS_PROFILE to where it is.`,
    )
  }
  return (name) => {
    const value = stack.Outputs?.find(({ OutputKey }) => OutputKey === name)?.OutputValue
    if (value !== undefined) return value
    throw new ClearError(
      `The stack ${stackName} (${stack.StackStatus}) has no output ${name}. Deploy it again with "npx cdk deploy '${environment}/*'".`,
    )
  }
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
