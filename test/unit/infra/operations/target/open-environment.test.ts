import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { beforeEach, expect, it, onTestFinished, vi } from 'vitest'
import { sentenceOf } from '../../../../../infra/command-line/run-command.ts'
import { environments } from '../../../../../infra/environments.ts'
import { openEnvironment } from '../../../../../infra/operations/target/open-environment.ts'

type Respond = (stack: string, authorization: string) => readonly [status: number, xml: string]

const failure = (status: number, code: string, message: string) =>
  [status, `<ErrorResponse><Error><Code>${code}</Code><Message>${message}</Message></Error></ErrorResponse>`] as const

const outputs: Readonly<Record<string, readonly string[]>> = {
  'pet-adoption-staging-data': ['PetsTableName', 'ApiKeysTableName', 'IdempotencyTableName', 'AuditLogGroupName'],
  'pet-adoption-staging-api': ['BaseUrl'],
}

/** CloudFormation of an account that has the stacks of staging in one Region, and none of production. */
const describeStacks: Respond = (stack, authorization) => {
  const isThere = authorization.includes(`/${environments.staging.region ?? 'eu-west-1'}/`)
  const names = isThere ? outputs[stack] : undefined
  if (names === undefined) return failure(400, 'ValidationError', `Stack with id ${stack} does not exist`)
  const members = names.map(
    (name) => `<member><OutputKey>${name}</OutputKey><OutputValue>the ${name}</OutputValue></member>`,
  )
  const described = `<Stacks><member><Outputs>${members.join('')}</Outputs></member></Stacks>`
  const result = `<DescribeStacksResult>${described}</DescribeStacksResult>`
  return [200, `<DescribeStacksResponse>${result}</DescribeStacksResponse>`]
}

let respond: Respond
beforeEach(async () => {
  respond = describeStacks
  const server = createServer(async (request, response) => {
    const stack = new URLSearchParams(await text(request)).get('StackName') ?? ''
    const [status, xml] = respond(stack, request.headers.authorization ?? '')
    response.writeHead(status, { 'Content-Type': 'text/xml' }).end(xml)
  })
  await once(server.listen(0, '127.0.0.1').unref(), 'listening')
  onTestFinished(() => void vi.unstubAllEnvs())
  // A server that listens on a port gives its address as an object.
  vi.stubEnv('AWS_ENDPOINT_URL_CLOUDFORMATION', `http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  vi.stubEnv('AWS_REGION', 'eu-west-1')
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

it('an environment that is not deployed says where it was looked for, and without credentials none is opened', async () => {
  expect(await reasonOf('production')).toBe(
    `The stack pet-adoption-production-data is not deployed in ${environments.production.region ?? 'eu-west-1'} of this account. Set AWS_PROFILE and AWS_REGION, or production.region in infra/environments.ts, to where it is.`,
  )
  for (const name of ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY']) vi.stubEnv(name, undefined)
  for (const file of ['AWS_CONFIG_FILE', 'AWS_SHARED_CREDENTIALS_FILE']) vi.stubEnv(file, '/nowhere')
  vi.stubEnv('AWS_EC2_METADATA_DISABLED', 'true')
  expect(await reasonOf('staging')).toMatch(/^AWS needs other credentials \(.* Check AWS_PROFILE/)
})

it.each([
  [403, 'ExpiredToken', 'It is expired', /^The AWS credentials have expired \(It is expired\)\. Renew them.*$/],
  [403, 'InvalidClientTokenId', 'It is invalid', /^AWS needs other credentials \(It is invalid\)\..*$/],
  [403, 'SignatureDoesNotMatch', 'Another one', /^AWS needs other credentials \(Another one\)\..*$/],
  [403, 'AccessDenied', 'No &#x9b;2J and&#xA;more', /^.* do not allow this: No \\u\{9b\}2J and\\u\{a\}more$/],
  [400, 'Throttling', 'Rate exceeded', /^AWS throttles this account\. Retry in a minute\.$/],
])('where AWS responds %i %s, one line says what to do', async (status, code, message, line) => {
  respond = () => failure(status, code, message)
  expect(await reasonOf('production')).toMatch(line)
})
