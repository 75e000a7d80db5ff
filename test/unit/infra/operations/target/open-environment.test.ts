import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { beforeEach, expect, it, onTestFinished, vi } from 'vitest'
import { sentenceOf } from '../../../../../infra/command-line/run-command.ts'
import { environments } from '../../../../../infra/environments.ts'
import { openEnvironment } from '../../../../../infra/operations/target/open-environment.ts'

const stacks: Readonly<Record<string, readonly string[]>> = {
  'pet-adoption-staging-data': ['PetsTableName', 'ApiKeysTableName', 'IdempotencyTableName', 'AuditLogGroupName'],
  'pet-adoption-staging-api': ['BaseUrl'],
}

type Respond = (body: string, authorization: string) => { readonly status: number; readonly xml: string }

/** An error as CloudFormation writes it. */
const failing =
  (status: number, code: string, message: string): Respond =>
  () => ({
    status,
    xml: `<ErrorResponse><Error><Code>${code}</Code><Message>${message}</Message></Error></ErrorResponse>`,
  })

/** CloudFormation of an account that has the stacks of staging in one Region, and none of production. */
const describeStacks: Respond = (body, authorization) => {
  const stack = new URLSearchParams(body).get('StackName') ?? ''
  const isThere = authorization.includes(`/${environments.staging.region ?? 'eu-west-1'}/`)
  const outputs = isThere ? stacks[stack] : undefined
  if (outputs === undefined) {
    return failing(400, 'ValidationError', `Stack with id ${stack} does not exist`)(body, authorization)
  }
  const members = outputs.map(
    (name) => `<member><OutputKey>${name}</OutputKey><OutputValue>the ${name}</OutputValue></member>`,
  )
  const described = `<Stacks><member><Outputs>${members.join('')}</Outputs></member></Stacks>`
  const result = `<DescribeStacksResult>${described}</DescribeStacksResult>`
  return { status: 200, xml: `<DescribeStacksResponse>${result}</DescribeStacksResponse>` }
}

const serveCloudFormation = async (respond: Respond): Promise<void> => {
  const server = createServer(async (request, response) => {
    const { status, xml } = respond(await text(request), request.headers.authorization ?? '')
    response.writeHead(status, { 'Content-Type': 'text/xml' }).end(xml)
  })
  await once(server.listen(0, '127.0.0.1').unref(), 'listening')
  // A server that listens on a port gives its address as an object.
  vi.stubEnv('AWS_ENDPOINT_URL_CLOUDFORMATION', `http://127.0.0.1:${(server.address() as AddressInfo).port}`)
}

beforeEach(async () => {
  onTestFinished(() => void vi.unstubAllEnvs())
  vi.stubEnv('AWS_REGION', 'eu-west-1')
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'test')
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'test')
  await serveCloudFormation(describeStacks)
})

/** What a command says when it cannot open the environment. */
const reasonOf = (target: Parameters<typeof openEnvironment>[0]): Promise<string> =>
  openEnvironment(target).then(() => 'It is open.', sentenceOf)

it('an environment on AWS has the address and the tables that the outputs of its stacks name', async () => {
  using environment = await openEnvironment({ environment: 'staging' })
  expect(environment).toMatchObject({
    baseUrl: 'the BaseUrl',
    tables: { pets: 'the PetsTableName', apiKeys: 'the ApiKeysTableName', idempotency: 'the IdempotencyTableName' },
  })
})

it('an environment that is not deployed, or does not run, is not opened, and it says where it was looked for', async () => {
  expect(await reasonOf({ environment: 'production' })).toBe(
    `The stack pet-adoption-production-data is not deployed in ${environments.production.region ?? 'eu-west-1'} of this account. Set AWS_PROFILE and AWS_REGION, or production.region in infra/environments.ts, to where it is.`,
  )
  expect(await reasonOf({ environment: 'local', data: '/nowhere' })).toMatch(
    /^No local environment runs on .*\/nowhere/,
  )
})

it('without credentials no environment on AWS is opened', async () => {
  for (const name of ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY']) vi.stubEnv(name, undefined)
  for (const file of ['AWS_CONFIG_FILE', 'AWS_SHARED_CREDENTIALS_FILE']) vi.stubEnv(file, '/nowhere')
  vi.stubEnv('AWS_EC2_METADATA_DISABLED', 'true')
  expect(await reasonOf({ environment: 'staging' })).toMatch(/^AWS needs other credentials \(.* Check AWS_PROFILE/)
})

it.each([
  [403, 'ExpiredToken', 'It is expired', 'The AWS credentials have expired (It is expired). Renew them'],
  [403, 'InvalidClientTokenId', 'It is invalid', 'AWS needs other credentials (It is invalid).'],
  [403, 'SignatureDoesNotMatch', 'Another one', 'AWS needs other credentials (Another one).'],
  [403, 'AccessDenied', 'No &#x9b;2J and&#xA;more', 'do not allow this: No \\u{9b}2J and\\u{a}more'],
  [400, 'Throttling', 'Rate exceeded', 'AWS throttles this account. Retry in a minute.'],
])('where AWS responds %i %s, one line says what to do', async (status, code, message, line) => {
  await serveCloudFormation(failing(status, code, message))
  const reason = await reasonOf({ environment: 'production' })
  expect(reason).toContain(line)
  expect(reason).not.toContain('\n')
})
