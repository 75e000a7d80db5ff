import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { sentenceOf } from '../../../../../infra/command-line/run-command.ts'
import { environments } from '../../../../../infra/environments.ts'
import { openEnvironment } from '../../../../../infra/operations/target/open-environment.ts'
import { type AwsResponse, awsError, awsResult, missingStack, serveAws } from '../aws.ts'

const stacks: Readonly<Record<string, readonly string[]>> = {
  'pet-adoption-staging-data': ['PetsTableName', 'ApiKeysTableName', 'IdempotencyTableName', 'AuditLogGroupName'],
  'pet-adoption-staging-api': [
    ...['BaseUrl', 'AccessLogGroupName'],
    ...['Free', 'Pro', 'Business', 'Enterprise'].map((plan) => `${plan}UsagePlanId`),
  ],
}

/** CloudFormation of an account that has the stacks of staging in one Region, and none of production. */
const respond = (stack: string, region: string): AwsResponse => {
  const outputs = region === (environments.staging.region ?? 'eu-west-1') ? stacks[stack] : undefined
  if (outputs === undefined) return missingStack(stack)
  const members = outputs.map(
    (name) => `<member><OutputKey>${name}</OutputKey><OutputValue>the ${name}</OutputValue></member>`,
  )
  const described = `<member><StackName>${stack}</StackName><Outputs>${members.join('')}</Outputs></member>`
  return awsResult('DescribeStacks', `<Stacks>${described}</Stacks>`)
}

let cloudFormation: string
beforeAll(async () => {
  cloudFormation = await serveAws((body, { authorization = '' }) => {
    // The scope of the signature.
    const [, region = ''] = /Credential=[^/]+\/\d+\/([\w-]+)\//.exec(authorization) ?? []
    return respond(new URLSearchParams(body).get('StackName') ?? '', region)
  })
})

beforeEach(() => {
  vi.stubEnv('AWS_REGION', 'eu-west-1')
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'test')
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'test')
  vi.stubEnv('AWS_ENDPOINT_URL_CLOUDFORMATION', cloudFormation)
})
afterEach(() => void vi.unstubAllEnvs())

/** What a command says when it cannot open the environment. */
const reasonOf = (target: Parameters<typeof openEnvironment>[0]): Promise<string> =>
  openEnvironment(target).then(() => 'It is open.', sentenceOf)

describe('an environment', () => {
  it('on AWS has the address and the tables that the outputs of the stacks name', async () => {
    using environment = await openEnvironment({ environment: 'staging' })
    expect(environment.baseUrl).toBe('the BaseUrl')
    expect(environment.tables).toEqual({
      pets: 'the PetsTableName',
      apiKeys: 'the ApiKeysTableName',
      idempotency: 'the IdempotencyTableName',
    })
  })

  it('is not found where its stacks are not deployed, which says where it was looked for', async () => {
    expect(await reasonOf({ environment: 'production' })).toBe(
      `The stack pet-adoption-production-data is not deployed in ${environments.production.region ?? 'eu-west-1'} of this account. Set AWS_PROFILE and AWS_REGION, or production.region in infra/environments.ts, to where it is.`,
    )
  })

  it('needs credentials', async () => {
    for (const name of ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY']) vi.stubEnv(name, undefined)
    for (const file of ['AWS_CONFIG_FILE', 'AWS_SHARED_CREDENTIALS_FILE']) vi.stubEnv(file, '/nowhere')
    vi.stubEnv('AWS_EC2_METADATA_DISABLED', 'true')
    expect(await reasonOf({ environment: 'staging' })).toMatch(/^No AWS credentials were found/)
  })

  it.each([
    [403, 'ExpiredToken', 'The security token included in the request is expired', 'The AWS credentials have expired.'],
    [403, 'InvalidClientTokenId', 'The security token is invalid', 'AWS does not accept the credentials.'],
    [403, 'SignatureDoesNotMatch', 'The signature does not match', 'AWS does not accept the credentials.'],
    [403, 'AccessDenied', 'User: x is not authorized to perform: y', 'is not authorized to perform: y'],
    [
      403,
      'AccessDenied',
      'No &#x9b;2J and no&#xA;second line',
      'do not allow this: No \\u{9b}2J and no\\u{a}second line',
    ],
    [400, 'Throttling', 'Rate exceeded', 'Retry in a minute.'],
  ])('is not opened where AWS responds %i %s, which one line explains', async (status, code, message, sentence) => {
    vi.stubEnv('AWS_ENDPOINT_URL_CLOUDFORMATION', await serveAws(() => awsError(code, message, status)))
    const reason = await reasonOf({ environment: 'production' })
    expect(reason).toContain(sentence)
    expect(reason).not.toContain('\n')
  })

  it('is not found on a data folder on which no environment runs', async () => {
    expect(await reasonOf({ environment: 'local', data: '/nowhere' })).toMatch(/^No local environment runs/)
  })
})
