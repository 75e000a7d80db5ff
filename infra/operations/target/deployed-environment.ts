import { CloudFormationClient, DescribeStacksCommand, type Stack } from '@aws-sdk/client-cloudformation'
import { RegionInfo } from 'aws-cdk-lib/region-info'
import { listed } from '../../command-line/nearest.ts'
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
    /** Without a slash at its end. */
    baseUrl: output('BaseUrl').replace(/\/$/, ''),
    /** With one line of JSON for each request. */
    accessLogGroup: output('AccessLogGroupName'),
    /** With one line for each change that an operator makes. */
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
  const others = await regionsWith(client, stackName)
  const advice =
    others.length > 0
      ? `It is in ${listed(others)}: set AWS_REGION to that, or ${environment}.region in infra/environments.ts.`
      : 'No other Region of this account has it: set AWS_PROFILE to the account where it is.'
  throw new UserError(`The stack ${stackName} is not deployed in ${region} of this account. ${advice}`)
}

const secondsPerRegion = 5

/** The Regions in which the account has a stack. One that is not enabled or does not respond has none. */
const regionsWith = async ({ config }: CloudFormationClient, stackName: string): Promise<readonly string[]> => {
  const regions = RegionInfo.regions.filter(({ partition }) => partition === 'aws').map(({ name }) => name)
  const found = await Promise.all(
    regions.map(async (region) => {
      const client = new CloudFormationClient({ region, credentials: config.credentials, maxAttempts: 1 })
      const abortSignal = AbortSignal.timeout(secondsPerRegion * 1_000)
      return (await describe(client, stackName, { abortSignal }).catch(() => undefined)) === undefined ? [] : [region]
    }),
  )
  return found.flat()
}

const describe = async (
  client: CloudFormationClient,
  StackName: string,
  options: { readonly abortSignal?: AbortSignal } = {},
): Promise<Stack | undefined> => {
  try {
    const { Stacks } = await client.send(new DescribeStacksCommand({ StackName }), options)
    return Stacks?.[0]
  } catch (error) {
    // CloudFormation has no error of its own for a stack that is not there.
    const isMissing = error instanceof Error && error.name === 'ValidationError' && /does not exist/.test(error.message)
    if (isMissing) return undefined
    throw error
  }
}
