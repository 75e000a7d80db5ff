import { CloudFormationClient } from '@aws-sdk/client-cloudformation'
import { describe, expect, it } from 'vitest'
import { ClearError } from '../../infra/command-line/clear-error.ts'
import { readStackOutputs } from '../../infra/deployed/stack-outputs.ts'

/** CloudFormation that gives this answer to every call. */
const cloudFormation = (answer: () => object): CloudFormationClient => {
  const client = new CloudFormationClient({
    region: 'eu-west-1',
    credentials: { accessKeyId: 'x', secretAccessKey: 'x' },
  })
  client.middlewareStack.add(() => async () => ({ response: undefined, output: { $metadata: {}, ...answer() } }), {
    step: 'initialize',
    name: 'answer',
  })
  return client
}

const failure = (name: string, message: string): never => {
  throw Object.assign(new Error(message), { name })
}

describe('the outputs of a deployed stack', () => {
  it('are read by their names', async () => {
    const Stacks = [{ Outputs: [{ OutputKey: 'PetsTableName', OutputValue: 'pets' }] }]
    const outputs = await readStackOutputs(
      cloudFormation(() => ({ Stacks })),
      'a-stack',
    )
    expect(outputs('PetsTableName')).toBe('pets')
    expect(() => outputs('Other')).toThrow('The stack a-stack has no output Other.')
  })

  it.each([
    ['ValidationError', 'Stack with id a-stack does not exist', 'a-stack is not deployed in eu-west-1'],
    ['CredentialsProviderError', 'Could not load credentials from any providers', 'No AWS credentials'],
    ['Error', 'Region is missing', 'No AWS Region'],
    [
      'ExpiredToken',
      'The security token included in the request is expired',
      'token included in the request is expired.',
    ],
  ])('cannot be read after %s "%s", which is told clearly', async (name, message, told) => {
    const reading = readStackOutputs(
      cloudFormation(() => failure(name, message)),
      'a-stack',
    )
    await expect(reading).rejects.toThrow(ClearError)
    await expect(reading).rejects.toThrow(told)
  })
})
