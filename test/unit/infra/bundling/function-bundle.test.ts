import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage } from 'node:http'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import {
  bundleFunction,
  bundleModule,
  functionNames,
  repositoryRoot,
} from '../../../../infra/bundling/function-bundle.ts'
import { UserError } from '../../../../infra/command-line/user-error.ts'
import { listen } from '../../../../infra/local/gateway/listen.ts'
import { planNames } from '../../../../shared/api-keys/plans.ts'
import { environmentVariables } from '../../../../shared/environment-variables.ts'
import type { GatewayEvent, GatewayResult } from '../../../../shared/http/gateway-event.ts'
import { gatewayEvent, lambdaContext } from '../../../events/events.ts'
import { temporaryFolder } from '../local/fixtures.ts'

const directory = temporaryFolder()
const names = functionNames()
const modules = new Map<string, readonly string[]>()
const codeOf = (name: string) => readFileSync(join(directory, name, 'index.js'), 'utf8')

interface Loaded {
  readonly handler: (event: GatewayEvent, context: unknown) => Promise<GatewayResult>
}

const load = (name: string): Loaded => createRequire(import.meta.url)(join(directory, name, 'index.js'))

/** What the functions send to DynamoDB. */
const received: IncomingMessage[] = []
const dynamoDb = createServer((request, response) => {
  received.push(request)
  response.end('{}')
})

const environment = {
  AWS_REGION: 'eu-central-1',
  AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE',
  AWS_SECRET_ACCESS_KEY: 'secret',
  AWS_SESSION_TOKEN: 'session',
  AWS_LAMBDA_FUNCTION_NAME: 'get-pet',
  _X_AMZN_TRACE_ID: 'Root=1-6a070b99-5f2d8a7c1b3e4d5f60718293;Sampled=1',
  AWS_SDK_UA_APP_ID: 'pets',
  [environmentVariables.apiKeyPrefix]: 'pet_test_',
  [environmentVariables.usagePlanIds]: JSON.stringify(
    Object.fromEntries(planNames.map((plan) => [plan, `id of ${plan}`])),
  ),
}

beforeAll(async () => {
  // As below the repository, where a bundle must not be taken for an ES module.
  writeFileSync(join(directory, 'package.json'), '{"type":"module"}')
  for (const name of names) modules.set(name, bundleFunction(name, join(directory, name)))
  for (const name of Object.values(environmentVariables)) vi.stubEnv(name, '1')
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value)
  vi.stubEnv('AWS_ENDPOINT_URL_DYNAMODB', `http://127.0.0.1:${await listen(dynamoDb, 0)}`)
})
afterAll(() => {
  vi.unstubAllEnvs()
  dynamoDb.closeAllConnections()
  dynamoDb.close()
})
it.each(names)(
  'the bundle of %s is loaded as Lambda loads it, and has nothing that its function never reaches',
  (name) => {
    expect(readdirSync(join(directory, name)).sort()).toEqual(['index.js', 'index.js.map', 'package.json'])
    expect(load(name).handler).toBeTypeOf('function')
    const map = readFileSync(join(directory, name, 'index.js.map'), 'utf8')
    expect(codeOf(name) + map).not.toContain(repositoryRoot)
    expect(JSON.parse(map).sources).toContain(`functions/${name}/index.ts`)
    expect(codeOf(name)).not.toContain('AssumeRoleWithWebIdentity')
    expect(modules.get(name)).toContain(`functions/${name}/index.ts`)
    expect(modules.get(name)?.filter((module) => /event-streams|endpoint-cache|mnemonist/.test(module))).toEqual([])
  },
)

it.each(names)('the bundle of %s is not larger than a quick cold start allows', (name) => {
  const kilobytes = statSync(join(directory, name, 'index.js')).size / 1_000
  // Nobody waits for gateway-keys, which has a second client.
  const limits: Readonly<Record<string, number>> = { authorizer: 210, 'gateway-keys': 270 }
  expect(kilobytes).toBeLessThanOrEqual(limits[name] ?? 230)
})

it('a module that esbuild cannot bundle is an error in a sentence', () => {
  const broken = () => bundleModule('shared/clock.ts', join(directory, 'broken'))
  expect(broken).toThrow(new UserError('esbuild cannot bundle shared/clock.ts. Correct what it says above.'))
})

it('a bundle is the same each time', () => {
  bundleFunction('create-pet', join(directory, 'again'))
  expect(codeOf('again')).toBe(codeOf('create-pet'))
})

it('the client of a bundle takes credentials, Region, endpoint, trace and application from the environment', async () => {
  const response = await load('get-pet').handler(gatewayEvent('get-pet'), lambdaContext)
  expect(response.statusCode).toBe(404)
  expect(received.map(({ headers }) => headers)).toEqual([
    expect.objectContaining({
      'x-amz-target': 'DynamoDB_20120810.GetItem',
      authorization: expect.stringMatching(
        /^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\/\d{8}\/eu-central-1\/dynamodb\/aws4_request/,
      ),
      'x-amz-security-token': 'session',
      'x-amzn-trace-id': environment._X_AMZN_TRACE_ID,
      'user-agent': expect.stringContaining('app/pets'),
    }),
  ])
})
