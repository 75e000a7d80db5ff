import { CloudFormationClient } from '@aws-sdk/client-cloudformation'
import { expect, it, onTestFinished, vi } from 'vitest'
import { UserError } from '../../../../../infra/command-line/user-error.ts'
import { withUserErrors } from '../../../../../infra/operations/target/aws-errors.ts'
import { findDeployedEnvironment } from '../../../../../infra/operations/target/deployed-environment.ts'
import { awsError, serveAws } from '../aws.ts'

it.each([
  [403, 'ExpiredToken', 'The security token included in the request is expired', 'The AWS credentials have expired.'],
  [403, 'InvalidClientTokenId', 'The security token is invalid', 'AWS does not accept the credentials.'],
  [403, 'SignatureDoesNotMatch', 'The signature does not match', 'AWS does not accept the credentials.'],
  [
    403,
    'AccessDenied',
    'User: x is not authorized to perform: cloudformation:DescribeStacks',
    'is not authorized to perform',
  ],
  [
    403,
    'AccessDenied',
    'No &#x9b;2J escape and no&#xA;second line',
    'do not allow this: No \\u{9b}2J escape and no\\u{a}second line',
  ],
  [400, 'Throttling', 'Rate exceeded', 'Retry in a minute.'],
  [
    400,
    'ValidationError',
    'Stack with id pet-adoption-production-data does not exist',
    'The stack pet-adoption-production-data is not deployed in us-east-1',
  ],
])('%i %s of AWS is one clear line', async (status, code, message, sentence) => {
  vi.stubEnv('AWS_ENDPOINT_URL', await serveAws(() => awsError(code, message, status)))
  onTestFinished(() => void vi.unstubAllEnvs())
  const credentials = { accessKeyId: 'x', secretAccessKey: 'x' }
  const client = new CloudFormationClient({ region: 'us-east-1', credentials })
  const error: unknown = await withUserErrors(() => findDeployedEnvironment(client, 'production')).catch(
    (thrown: unknown) => thrown,
  )
  expect(error).toBeInstanceOf(UserError)
  expect(String(error)).toContain(sentence)
  expect(String(error)).not.toContain('\n')
})
