import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { beforeEach, expect, it, onTestFinished, vi } from 'vitest'
import { sentenceOf } from '../../../../../infra/command-line/run-command.ts'
import { environments } from '../../../../../infra/environments.ts'
import { openEnvironment } from '../../../../../infra/operations/target/open-environment.ts'

const region = environments.staging.region ?? 'eu-west-1'

const outputs: Readonly<Record<string, readonly string[]>> = {
  'pet-adoption-staging-data': ['PetsTableName', 'ApiKeysTableName', 'IdempotencyTableName', 'AuditLogGroupName'],
  'pet-adoption-staging-api': ['BaseUrl'],
}

/** The status, the code and the message of an error that CloudFormation responds with. */
type Failure = readonly [status: number, code: string, message: string]

let failure: Failure | undefined
beforeEach(async () => {
  failure = undefined
  // CloudFormation of an account that has the stacks of staging in one Region, and none of production.
  const server = createServer(async (request, response) => {
    const stack = new URLSearchParams(await text(request)).get('StackName') ?? ''
    const isThere = request.headers.authorization?.includes(`/${region}/`)
    const names = isThere ? outputs[stack] : undefined
    const missing: Failure = [400, 'ValidationError', `Stack with id ${stack} does not exist`]
    const [status, code, message] = failure ?? (names === undefined ? missing : [200])
    const error = `<Error><Code>${code}</Code><Message>${message}</Message></Error>`
    const members = names?.map(
      (name) => `<member><OutputKey>${name}</OutputKey><OutputValue>the ${name}</OutputValue></member>`,
    )
    const result = `<Stacks><member><Outputs>${members?.join('')}</Outputs></member></Stacks>`
    response.writeHead(status, { 'Content-Type': 'text/xml' })
    response.end(`<R>${error}<DescribeStacksResult>${result}</DescribeStacksResult></R>`)
  })
  await once(server.listen(0, '127.0.0.1').unref(), 'listening')
  onTestFinished(() => void vi.unstubAllEnvs())
  // A server that listens on a port gives its address as an object.
  vi.stubEnv('AWS_ENDPOINT_URL_CLOUDFORMATION', `http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  vi.stubEnv('AWS_REGION', region)
  for (const name of ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY']) vi.stubEnv(name, 'test')
})

/** What a command says when it cannot open the environment. */
const reasonOf = (environment: 'staging' | 'production'): Promise<string> =>
  openEnvironment({ environment }).then(() => 'It is open.', sentenceOf)

it('an environment on AWS has the address and the tables that the outputs of its stacks name', async () => {
  using environment = await openEnvironment({ environment: 'staging' })
  expect(environment).toMatchObject({
    baseUrl: 'the BaseUrl',
    tables: { pets: 'the PetsTableName', apiKeys: 'the ApiKeysTableName', idempotency: 'the IdempotencyTableName' },
    auditTrail: { logGroupName: 'the AuditLogGroupName' },
  })
})

it.each<[string, RegExp, Failure?]>([
  ['is not deployed', new RegExp(`^The stack pet-adoption-production-data is not deployed in ${region} of .*$`)],
  ['needs newer credentials', /^The .* have expired \(It is\)\. Renew them.*$/, [403, 'ExpiredToken', 'It is']],
  ['needs other credentials', /^AWS needs other credentials \(It is\)\./, [403, 'InvalidClientTokenId', 'It is']],
  ['needs other credentials', /^AWS needs other credentials \(It is\)\./, [403, 'SignatureDoesNotMatch', 'It is']],
  [
    'does not allow it',
    /^.* do not allow this: \\u\{9b\}2J and\\u\{a\}it$/,
    [403, 'AccessDenied', '&#x9b;2J and&#xA;it'],
  ],
  ['throttles', /^AWS throttles this account\. Retry in a minute\.$/, [400, 'Throttling', 'Rate exceeded']],
])('where AWS %s, one line says what to do', async (_what, line, error) => {
  failure = error
  expect(await reasonOf('production')).toMatch(line)
})

it('without credentials none is opened', async () => {
  for (const name of ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY']) vi.stubEnv(name, undefined)
  for (const file of ['AWS_CONFIG_FILE', 'AWS_SHARED_CREDENTIALS_FILE']) vi.stubEnv(file, '/nowhere')
  vi.stubEnv('AWS_EC2_METADATA_DISABLED', 'true')
  expect(await reasonOf('staging')).toMatch(/^AWS needs other credentials \(.* Check AWS_PROFILE/)
})
