import { globSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import { createRequire } from 'node:module'
import { join, relative } from 'node:path'
import { afterAll, describe, expect, it, vi } from 'vitest'
import { repositoryRoot } from '../../../../../infra/command-line/repository-root.ts'
import { bundleFunction } from '../../../../../infra/constructs/functions/function-bundle.ts'
import { tableAccess } from '../../../../../infra/constructs/functions/table-access.ts'
import { localStage } from '../../../../../infra/environments.ts'
import { listen } from '../../../../../infra/local/gateway/listen.ts'
import { readEnvironmentTemplate } from '../../../../../infra/local/template/environment-template.ts'
import { planNames } from '../../../../../shared/api-keys/plans.ts'
import { environmentVariables } from '../../../../../shared/environment-variables.ts'
import type { GatewayEvent, GatewayResult } from '../../../../../shared/http/gateway-event.ts'
import { lambdaContext, readGatewayEvent } from '../../../../events/events.ts'
import { sharedAssembly } from '../../../../fixtures/environment/local-environment.ts'
import { runNode } from '../../../../fixtures/machine/node-process.ts'
import { createTemporaryFolder } from '../../../../fixtures/machine/temporary-folder.ts'

type Handler = (event: GatewayEvent, context: unknown) => Promise<GatewayResult>

// This server stands in for DynamoDB. It records the headers of requests, and responds that no item exists.
const receivedHeaders: IncomingHttpHeaders[] = []
const dynamoDb = createServer(({ headers }, response) => {
  receivedHeaders.push(headers)
  response.end('{}')
})
const endpoint = `http://127.0.0.1:${await listen(dynamoDb, 0)}`
afterAll(() => {
  dynamoDb.closeAllConnections()
  dynamoDb.close()
})

// The functions with their bundles, as they are deployed. Each bundle has a package.json of its own: with that of this
// repository, whose type is `module`, Node.js would load the bundle as an ES module.
const { functions } = readEnvironmentTemplate(sharedAssembly, localStage)

const findFunction = (name: string) => {
  const found = functions.get(name)
  if (found === undefined) throw new Error(`The templates have no function ${name}.`)
  return found
}

const traceId = 'Root=1-6a070b99-5f2d8a7c1b3e4d5f60718293;Sampled=1'

/** Loads a bundle as Lambda does, with environment variables that every function can read. */
const loadHandler = (name: string): Handler => {
  // A number, which is also a name: most variables may have this value.
  for (const variable of Object.values(environmentVariables)) vi.stubEnv(variable, '1')
  const usagePlanIds = Object.fromEntries(planNames.map((plan) => [plan, plan]))
  vi.stubEnv(environmentVariables.usagePlanIds, JSON.stringify(usagePlanIds))
  vi.stubEnv(environmentVariables.apiKeyPrefix, 'pet_test_')
  vi.stubEnv('AWS_REGION', 'eu-central-1')
  vi.stubEnv('AWS_ENDPOINT_URL_DYNAMODB', endpoint)
  vi.stubEnv('AWS_SDK_UA_APP_ID', 'pets')
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'AKIDEXAMPLE')
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'secret')
  vi.stubEnv('AWS_SESSION_TOKEN', 'session')
  vi.stubEnv('AWS_LAMBDA_FUNCTION_NAME', 'get-pet')
  vi.stubEnv('_X_AMZN_TRACE_ID', traceId)
  return createRequire(import.meta.url)(join(findFunction(name).folder, 'index.js')).handler
}

// The compiler requires an entry for each operation of the contract, and for the three functions without a route.
it('table-access.ts has an entry for each folder of functions/', () => {
  const folders = globSync('functions/*/index.ts').map((file) => file.split('/')[1])

  expect(Object.keys(tableAccess).toSorted()).toEqual(folders.toSorted())
})

/** Maximum sizes other than that of operations. `gateway-keys` has a second client, of API Gateway. */
const maximumKilobytes: Readonly<Record<string, number>> = { authorizer: 210, 'gateway-keys': 270 }
const usualMaximumKilobytes = 230

describe.each([...functions.keys()])('the bundle of %s', (name) => {
  // A test that reads a source map fails if there is none: there is no file `no source map`.
  const { folder, sourceMap = 'no source map' } = findFunction(name)
  const readCode = () => readFileSync(join(folder, 'index.js'), 'utf8')
  const readSourceMap = () => readFileSync(sourceMap, 'utf8')
  const readSources = (): readonly string[] => JSON.parse(readSourceMap()).sources

  it(`the bundle of ${name} exports a handler when Node.js loads it`, () => {
    expect(loadHandler(name)).toBeTypeOf('function')
  })

  it(`the bundle of ${name} is small, and is deployed without a source map`, () => {
    const kilobytes = Buffer.byteLength(readCode()) / 1_000

    expect(kilobytes).toBeLessThanOrEqual(maximumKilobytes[name] ?? usualMaximumKilobytes)
    expect(readdirSync(folder).toSorted()).toEqual(['index.js', 'package.json'])
  })

  it(`the source map of ${name} names the entry point of the function`, () => {
    expect(readSources()).toContain(`functions/${name}/index.ts`)
  })

  // Event streams, and the metadata service of EC2 (IMDS).
  it(`the bundle of ${name} has no package of the AWS SDK that the functions do not need`, () => {
    expect(readSources().join('\n')).not.toMatch(/event-streams|imds/)
  })

  it(`the bundle and the source map of ${name} have no path of this machine`, () => {
    expect(readCode() + readSourceMap()).not.toContain(repositoryRoot)
  })
})

it('bundleFunction names the file to add if a function is missing', () => {
  expect(() => bundleFunction('adopt-pet', createTemporaryFolder())).toThrow(
    'The function adopt-pet is missing: add functions/adopt-pet/index.ts.',
  )
})

it('the DynamoDB client of a bundle takes its configuration from the environment variables of Lambda', async () => {
  const handler = loadHandler('get-pet')

  const response = await handler(readGatewayEvent('get-pet'), lambdaContext)

  expect(response).toMatchObject({ statusCode: 404 })
  expect(receivedHeaders).toHaveLength(1)
  expect(receivedHeaders[0]).toMatchObject({
    'x-amz-target': 'DynamoDB_20120810.GetItem',
    authorization: expect.stringMatching(
      /^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\/\d{8}\/eu-central-1\/dynamodb\/aws4_request/,
    ),
    'x-amz-security-token': 'session',
    'x-amzn-trace-id': traceId,
    'user-agent': expect.stringContaining('app/pets'),
  })
})

it('code that would read import.meta, which a bundle does not have, is refused', async () => {
  const module = join(createTemporaryFolder(), 'index.ts')
  writeFileSync(module, 'export const handler = () => import.meta.url')
  const code = `import { bundleModule } from './infra/constructs/functions/function-bundle.ts'
    bundleModule(${JSON.stringify(relative(repositoryRoot, module))}, ${JSON.stringify(createTemporaryFolder())})`

  const { errors } = await runNode(['--input-type=module', '--eval', code])

  expect(errors).toMatch(/\[empty-import-meta\].*UserError: esbuild cannot bundle .*index\.ts\. Correct what it says/s)
})

it('bundleFunction says what esbuild says, and what to do, if the program of esbuild does not run', async () => {
  // An empty file that may not be executed, in the place of a program for another platform.
  const program = join(createTemporaryFolder(), 'esbuild')
  writeFileSync(program, '')
  const code = `import { bundleFunction } from './infra/constructs/functions/function-bundle.ts'
    bundleFunction('get-pet', ${JSON.stringify(createTemporaryFolder())})`

  const { errors } = await runNode(['--input-type=module', '--eval', code], { ESBUILD_BINARY_PATH: program })

  expect(errors).toMatch(/UserError: esbuild does not run: .*EACCES.*\nRun "npm ci" on this machine, and try again\./)
})
