import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'
import type { Received } from '../../../../infra/local/gateway/request.ts'
import type { LambdaFunction } from '../../../../infra/local/template/environment-template.ts'
import type { ApiMethod, ApiResource, RestApi } from '../../../../infra/local/template/rest-api.ts'

/** A folder for one test file, gone after it. */
export const temporaryFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'pet-adoption-test-'))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** A method with one function, without an authorizer unless the test gives one. */
export const method = (functionName: string, change: Partial<ApiMethod> = {}): ApiMethod => ({
  authorizer: undefined,
  apiKeyRequired: false,
  integration: { type: 'AWS_PROXY', functionName, timeoutMilliseconds: 29_000 },
  ...change,
})

export const resource = (path: string, methods: Readonly<Record<string, ApiMethod>>): ApiResource => ({
  id: `id of ${path}`,
  path,
  methods: new Map(Object.entries(methods)),
})

/** Of the gateway responses, each of which has its type as its body. */
const statuses = {
  ACCESS_DENIED: 403,
  AUTHORIZER_CONFIGURATION_ERROR: 500,
  BAD_REQUEST_PARAMETERS: 400,
  DEFAULT_5XX: 502,
  INTEGRATION_TIMEOUT: 504,
  INVALID_API_KEY: 403,
  MISSING_AUTHENTICATION_TOKEN: 403,
  REQUEST_TOO_LARGE: 413,
  UNAUTHORIZED: 401,
}

export const restApi = (resources: readonly ApiResource[] = []): RestApi => ({
  id: 'abcdef1234',
  stageName: 'v1',
  deploymentId: 'a1b2c3',
  resources,
  gatewayResponses: new Map(
    Object.entries(statuses).map(([type, status]) => [type, { status, headers: { 'Own-Header': 'yes' }, body: type }]),
  ),
})

export const received = (target: string, change: Partial<Received> = {}): Received => {
  const [rawPath = '', rawQuery = ''] = target.split('?')
  return {
    requestId: '00000000-0000-4000-8000-000000000000',
    extendedRequestId: 'extended=',
    traceId: 'Root=1-6921e6f0-0123456789abcdef01234567',
    receivedAt: Date.parse('2026-11-21T12:34:56Z'),
    httpMethod: 'GET',
    rawPath,
    rawQuery,
    headers: new Map([
      ['Host', ['127.0.0.1:3000']],
      ['User-Agent', ['a test']],
    ]),
    protocol: 'HTTP/1.1',
    sourceIp: '127.0.0.1',
    body: undefined,
    ...change,
  }
}

/** A real bundle of one file, as a template would describe it. */
export const bundle = (
  folder: string,
  name: string,
  code: string,
  change: Partial<LambdaFunction> = {},
): LambdaFunction => {
  mkdirSync(join(folder, name))
  writeFileSync(join(folder, name, 'index.js'), code)
  writeFileSync(join(folder, name, 'package.json'), '{"type":"commonjs"}')
  return {
    name,
    operation: undefined,
    folder: join(folder, name),
    handler: 'index.handler',
    timeoutMilliseconds: 3_000,
    memoryMegabytes: 128,
    environment: {},
    ...change,
  }
}
