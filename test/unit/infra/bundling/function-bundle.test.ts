import { readdirSync, readFileSync } from 'node:fs'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { afterAll, expect, it, vi } from 'vitest'
import {
  bundleFunction,
  bundleModule,
  listFunctionNames,
  repositoryRoot,
} from '../../../../infra/bundling/function-bundle.ts'
import { tableAccess } from '../../../../infra/constructs/functions/table-access.ts'
import { readContract } from '../../../../infra/contract/contract.ts'
import { localStage } from '../../../../infra/environments.ts'
import { listen } from '../../../../infra/local/gateway/listen.ts'
import { readEnvironmentTemplate } from '../../../../infra/local/template/environment-template.ts'
import { planNames } from '../../../../shared/api-keys/plans.ts'
import { environmentVariables } from '../../../../shared/environment-variables.ts'
import type { GatewayEvent, GatewayResult } from '../../../../shared/http/gateway-event.ts'
import { lambdaContext, readGatewayEvent } from '../../../events/events.ts'
import { sharedAssembly } from '../../../fixtures/local-environment.ts'
import { createTemporaryFolder } from '../../../fixtures/temporary-folder.ts'

/** What a function sends to DynamoDB. */
const received: IncomingHttpHeaders[] = []
const dynamoDb = createServer(({ headers }, response) => {
  received.push(headers)
  response.end('{}')
})
const endpoint = `http://127.0.0.1:${await listen(dynamoDb, 0)}`
afterAll(() => {
  dynamoDb.closeAllConnections()
  dynamoDb.close()
})

// Those that are deployed. They are in this repository, where a bundle must not be taken for an ES module.
const { functions } = readEnvironmentTemplate(sharedAssembly, localStage)
const folderOf = (name: string): string => functions.get(name)?.folder ?? ''

const trace = 'Root=1-6a070b99-5f2d8a7c1b3e4d5f60718293;Sampled=1'
const environment = {
  ...Object.fromEntries(Object.values(environmentVariables).map((variable) => [variable, '1'])),
  [environmentVariables.apiKeyPrefix]: 'pet_test_',
  [environmentVariables.usagePlanIds]: JSON.stringify(Object.fromEntries(planNames.map((plan) => [plan, plan]))),
  ...{ AWS_REGION: 'eu-central-1', AWS_ENDPOINT_URL_DYNAMODB: endpoint, AWS_SDK_UA_APP_ID: 'pets' },
  ...{ AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE', AWS_SECRET_ACCESS_KEY: 'secret', AWS_SESSION_TOKEN: 'session' },
  ...{ AWS_LAMBDA_FUNCTION_NAME: 'get-pet', _X_AMZN_TRACE_ID: trace },
}

type Handler = (event: GatewayEvent, context: unknown) => Promise<GatewayResult>

/** Loads a bundle as Lambda does. */
const load = (name: string): Handler => {
  for (const [variable, value] of Object.entries(environment)) vi.stubEnv(variable, value)
  return createRequire(import.meta.url)(join(folderOf(name), 'index.js')).handler
}

it('each operation of the contract has a function and its permissions, and there is no other but the three without a route', () => {
  const operations = readContract().operations.map(({ name }) => name)
  expect(listFunctionNames()).toEqual([...operations, 'authorizer', 'gateway-keys', 'unknown-route'].toSorted())
  expect(Object.keys(tableAccess).toSorted()).toEqual(listFunctionNames())
})

// In kilobytes. Nobody waits for gateway-keys, which has a second client.
const limits: Readonly<Record<string, number>> = { authorizer: 210, 'gateway-keys': 270 }

it.each(listFunctionNames())('the bundle of %s loads, is small, and has nothing that it never reaches', (name) => {
  expect(readdirSync(folderOf(name)).sort()).toEqual(['index.js', 'index.js.map', 'package.json'])
  const [code = '', map = ''] = ['index.js', 'index.js.map'].map((file) =>
    readFileSync(join(folderOf(name), file), 'utf8'),
  )
  expect(load(name)).toBeTypeOf('function')
  expect(Buffer.byteLength(code)).toBeLessThanOrEqual(1_000 * (limits[name] ?? 230))
  for (const part of [repositoryRoot, 'AssumeRoleWithWebIdentity']) expect(code + map).not.toContain(part)
  const { sources }: { sources: string[] } = JSON.parse(map)
  expect(sources).toContain(`functions/${name}/index.ts`)
  expect(sources.filter((source) => /event-streams|endpoint-cache|mnemonist/.test(source))).toEqual([])
})

it('a function that is missing, or that esbuild cannot bundle, is an error in a sentence', () => {
  const folder = createTemporaryFolder()
  expect(() => bundleFunction('adopt-pet', folder)).toThrow('adopt-pet is missing: add functions/adopt-pet/index.ts.')
  const broken = () => bundleModule('shared/clock.ts', folder)
  expect(broken).toThrow('esbuild cannot bundle shared/clock.ts. Correct what it says above.')
})

it('the client of a bundle takes credentials, Region, endpoint, trace and application from the environment', async () => {
  expect(await load('get-pet')(readGatewayEvent('get-pet'), lambdaContext)).toMatchObject({ statusCode: 404 })
  const scope = /^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\/\d{8}\/eu-central-1\/dynamodb\/aws4_request/
  expect(received).toMatchObject([
    {
      ...{ 'x-amz-target': 'DynamoDB_20120810.GetItem', authorization: expect.stringMatching(scope) },
      ...{ 'x-amz-security-token': 'session', 'x-amzn-trace-id': trace },
      'user-agent': expect.stringContaining('app/pets'),
    },
  ])
})
