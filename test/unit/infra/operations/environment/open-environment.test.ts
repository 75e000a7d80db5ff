import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { beforeEach, expect, it, onTestFinished, vi } from 'vitest'
import { describeError } from '../../../../../infra/command-line/run-command.ts'
import { environments } from '../../../../../infra/environments.ts'
import { listen } from '../../../../../infra/local/gateway/listen.ts'
import { openEnvironment } from '../../../../../infra/operations/environment/open-environment.ts'

const region = environments.staging.region ?? 'eu-west-1'

const outputs: Readonly<Record<string, readonly string[]>> = {
  'pet-adoption-staging-data': ['PetsTableName', 'ApiKeysTableName', 'IdempotencyTableName', 'AuditLogGroupName'],
  'pet-adoption-staging-api': ['BaseUrl'],
}

beforeEach(async () => {
  // CloudFormation of an account that has the stacks of staging in one Region, and none of production.
  const server = createServer(async (request, response) => {
    const stack = new URLSearchParams(await text(request)).get('StackName') ?? ''
    const names = request.headers.authorization?.includes(`/${region}/`) ? outputs[stack] : undefined
    const members = names?.map(
      (name) => `<member><OutputKey>${name}</OutputKey><OutputValue>the ${name}</OutputValue></member>`,
    )
    const result = `<Stacks><member><Outputs>${members?.join('')}</Outputs></member></Stacks>`
    const error = `<Error><Code>ValidationError</Code><Message>Stack with id ${stack} does not exist</Message></Error>`
    response.writeHead(names === undefined ? 400 : 200, { 'Content-Type': 'text/xml' })
    response.end(`<R>${error}<DescribeStacksResult>${result}</DescribeStacksResult></R>`)
  })
  onTestFinished(() => void vi.unstubAllEnvs())
  vi.stubEnv('AWS_ENDPOINT_URL_CLOUDFORMATION', `http://127.0.0.1:${await listen(server.unref(), 0)}`)
  vi.stubEnv('AWS_REGION', region)
  for (const name of ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY']) vi.stubEnv(name, 'test')
})

it('an environment on AWS has the address and the tables that the outputs of its stacks name', async () => {
  using environment = await openEnvironment({ name: 'staging' })
  expect(environment).toMatchObject({
    baseUrl: 'the BaseUrl',
    tables: { pets: 'the PetsTableName', apiKeys: 'the ApiKeysTableName', idempotency: 'the IdempotencyTableName' },
    auditTrail: { logGroupName: 'the AuditLogGroupName' },
  })
})

it('one that is not deployed says where it was looked for, and without credentials none is opened', async () => {
  const place = `${environments.production.region ?? region} of this account. Set AWS_PROFILE and AWS_REGION, or`
  const missing = `The stack pet-adoption-production-data is not deployed in ${place} production.region in`
  await expect(openEnvironment({ name: 'production' })).rejects.toThrow(missing)
  for (const name of ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY']) vi.stubEnv(name, undefined)
  for (const file of ['AWS_CONFIG_FILE', 'AWS_SHARED_CREDENTIALS_FILE']) vi.stubEnv(file, '/nowhere')
  vi.stubEnv('AWS_EC2_METADATA_DISABLED', 'true')
  const reason = await openEnvironment({ name: 'staging' }).catch(describeError)
  expect(reason).toMatch(/^AWS needs other credentials \(.* Check AWS_PROFILE/)
})
