import { type CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation'
import { ClearError } from '../command-line/clear-error.ts'

/** The outputs of a deployed stack, by name. */
export type StackOutputs = (name: string) => string

/** @throws ClearError when the stack is not deployed, or cannot be asked for; the same for an output that it lacks. */
export const readStackOutputs = async (client: CloudFormationClient, stackName: string): Promise<StackOutputs> => {
  const outputs = await describeOutputs(client, stackName)
  return (name) => {
    const value = outputs.get(name)
    if (value === undefined) {
      throw new ClearError(`The stack ${stackName} has no output ${name}. Deploy it again from these sources.`)
    }
    return value
  }
}

const describeOutputs = async (client: CloudFormationClient, stackName: string): Promise<Map<string, string>> => {
  try {
    const { Stacks = [] } = await client.send(new DescribeStacksCommand({ StackName: stackName }))
    const outputs = Stacks[0]?.Outputs ?? []
    return new Map(outputs.map(({ OutputKey = '', OutputValue = '' }) => [OutputKey, OutputValue]))
  } catch (error) {
    throw new ClearError(await describeFailure(error, client, stackName), { cause: error })
  }
}

const describeFailure = async (error: unknown, client: CloudFormationClient, stackName: string): Promise<string> => {
  const message = error instanceof Error ? error.message : String(error)
  if (message.includes('does not exist')) {
    const region = await client.config.region()
    return `The stack ${stackName} is not deployed in ${region}. Deploy it, or choose another Region with AWS_REGION.`
  }
  if (message.includes('Region is missing'))
    return 'No AWS Region is set. Set AWS_REGION, or name a profile that has one in AWS_PROFILE.'
  if (error instanceof Error && error.name === 'CredentialsProviderError') {
    return 'No AWS credentials were found. Set AWS_PROFILE, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.'
  }
  return `CloudFormation did not tell about the stack ${stackName}: ${message.replace(/\.$/, '')}.`
}
