/** Opening an environment on AWS by the outputs of its stacks. */
import { CloudFormationClient, DescribeStacksCommand, type Stack } from '@aws-sdk/client-cloudformation'
import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { UserError } from '../../command-line/user-error.ts'
import { type EnvironmentName, environments } from '../../environments.ts'
import { createAwsClientSettings } from './aws-client-settings.ts'
import { readResourceNames } from './local-environment.ts'

export const openDeployedEnvironment = async (name: EnvironmentName) => {
  const stacks = [...(await describeStack(name, 'data')), ...(await describeStack(name, 'api'))]
  for (const { StackId } of stacks) requireAccount(name, environments[name].account, StackId)
  const outputs = stacks.flatMap(({ Outputs = [] }) => Outputs)
  const readOutput = (key: string): string => {
    const value = outputs.find(({ OutputKey }) => OutputKey === key)?.OutputValue
    if (value !== undefined) return value
    throw new UserError(`No stack of ${name} has the output ${key}. Deploy them again: npx cdk deploy '${name}/*'`)
  }

  return {
    ...readResourceNames(readOutput),
    baseUrl: readOutput('BaseUrl').replace(/\/$/, ''),
    client: new DynamoDBClient(createAwsClientSettings(name)),
  }
}

/**
 * Checks that a stack is in the account that infra/environments.ts names. Only stacks of the account of the credentials
 * are found, so these are the credentials of that account too.
 *
 * @param stackArn such as `arn:aws:cloudformation:eu-west-1:111122223333:stack/...`
 * @throws UserError if they differ
 */
const requireAccount = (name: EnvironmentName, account: string | undefined, stackArn = ''): void => {
  const [, , , , accountOfStack] = stackArn.split(':')
  if (account === undefined || account === accountOfStack) return
  throw new UserError(
    `The credentials are those of the account ${accountOfStack}, and ${name}.account in infra/environments.ts is ` +
      `${account}. Set AWS_PROFILE to a profile of that account.`,
  )
}

const describeStack = async (environment: EnvironmentName, part: 'data' | 'api'): Promise<readonly Stack[]> => {
  const client = new CloudFormationClient(createAwsClientSettings(environment))
  const StackName = `pet-adoption-${environment}-${part}`
  try {
    const { Stacks = [] } = await client.send(new DescribeStacksCommand({ StackName }))
    return Stacks
  } catch (error) {
    if (!isMissingStack(error)) throw error
    const region = await client.config.region()
    throw new UserError(
      `The stack ${StackName} is not deployed in ${region} of this account. ` +
        `Set AWS_PROFILE and AWS_REGION, or ${environment}.region in infra/environments.ts, to where it is.`,
    )
  }
}

/** Whether a stack does not exist. CloudFormation has no error of its own for that, only a ValidationError. */
const isMissingStack = (error: unknown): boolean =>
  error instanceof Error && error.name === 'ValidationError' && /does not exist/.test(error.message)
