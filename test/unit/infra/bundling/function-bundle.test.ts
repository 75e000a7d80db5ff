import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { bundleFunction } from '../../../../infra/bundling/function-bundle.ts'
import { readFunctionFolders } from '../../../../infra/constructs/functions/function-folders.ts'
import { environmentVariables } from '../../../../shared/environment-variables.ts'
import { gatewayEvent, lambdaContext } from '../../../events/events.ts'

const repositoryRoot = fileURLToPath(new URL('../../../..', import.meta.url))
const directory = mkdtempSync(join(tmpdir(), 'pet-adoption-bundle-'))

beforeAll(() => {
  // As below the repository, where a bundle must not be taken for an ES module.
  writeFileSync(join(directory, 'package.json'), '{"type":"module"}')
  for (const name of Object.values(environmentVariables)) vi.stubEnv(name, '1')
  vi.stubEnv(environmentVariables.apiKeyPrefix, 'pet_test_')
  vi.stubEnv('AWS_REGION', 'eu-central-1')
})

afterAll(() => {
  vi.unstubAllEnvs()
  rmSync(directory, { recursive: true })
})

describe.each(readFunctionFolders())('the bundle of %s', (name) => {
  const folder = join(directory, name)
  const code = () => readFileSync(join(folder, 'index.js'), 'utf8')

  it('is loaded as Lambda loads it', () => {
    bundleFunction(name, folder)
    expect(readdirSync(folder).sort()).toEqual(['index.js', 'package.json'])
    const loaded: { handler?: unknown } = createRequire(import.meta.url)(join(folder, 'index.js'))
    expect(loaded.handler).toBeTypeOf('function')
  })

  it('is the same on every machine', () => {
    expect(code()).not.toContain(repositoryRoot)
    const again = join(directory, `${name}-again`)
    bundleFunction(name, again)
    expect(readFileSync(join(again, 'index.js'), 'utf8')).toBe(code())
  })

  it('leaves out the credential providers that a function never reaches', () => {
    expect(code()).not.toContain('AssumeRoleWithWebIdentity')
  })

  it('leaves out event streams and endpoint discovery, which no operation of DynamoDB here has', () => {
    const modules = [...bundleFunction(name, folder).keys()]
    expect(modules.filter((module) => /event-streams|endpoint-cache|mnemonist/.test(module))).toEqual([])
  })

  it('is not larger than a quick cold start allows', () => {
    const kilobyte = 1_000
    expect(statSync(join(folder, 'index.js')).size).toBeLessThanOrEqual((name === 'authorizer' ? 210 : 230) * kilobyte)
  })
})

describe('the client of a bundle', () => {
  it('takes credentials, Region, endpoint, trace and application from the environment', async () => {
    const received: IncomingMessage[] = []
    const server = createServer((request, response) => {
      received.push(request)
      response.end('{}')
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    // A server that listens on a port, and on no pipe, gives its address as an object.
    const { port } = server.address() as AddressInfo
    const environment = {
      AWS_ENDPOINT_URL_DYNAMODB: `http://127.0.0.1:${port}`,
      AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE',
      AWS_SECRET_ACCESS_KEY: 'secret',
      AWS_SESSION_TOKEN: 'session',
      AWS_LAMBDA_FUNCTION_NAME: 'get-pet',
      _X_AMZN_TRACE_ID: 'Root=1-6a070b99-5f2d8a7c1b3e4d5f60718293;Sampled=1',
      AWS_SDK_UA_APP_ID: 'pets',
    }
    for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value)
    const folder = join(directory, 'client')
    bundleFunction('get-pet', folder)
    const { handler } = createRequire(import.meta.url)(join(folder, 'index.js'))
    const response = await handler(gatewayEvent('get-pet'), lambdaContext)
    server.closeAllConnections()
    server.close()
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
})
