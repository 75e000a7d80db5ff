import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'
import type { Received } from '../../../../infra/local/gateway/request.ts'
import type { FunctionInvoker } from '../../../../infra/local/lambda/function-host.ts'
import type { InvocationOutcome } from '../../../../infra/local/lambda/invocation.ts'
import type { LambdaFunction } from '../../../../infra/local/template/functions.ts'
import type { ApiMethod, ApiResource, RestApi, UsagePlan } from '../../../../infra/local/template/rest-api.ts'

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

export interface ApiParts {
  readonly resources?: readonly ApiResource[]
  readonly usagePlans?: readonly UsagePlan[]
}

/** Of the gateway responses, each of which has its type as its body. */
const statuses = {
  ACCESS_DENIED: 403,
  AUTHORIZER_CONFIGURATION_ERROR: 500,
  BAD_REQUEST_PARAMETERS: 400,
  DEFAULT_5XX: 502,
  INVALID_API_KEY: 403,
  MISSING_AUTHENTICATION_TOKEN: 403,
  REQUEST_TOO_LARGE: 413,
  THROTTLED: 429,
  UNAUTHORIZED: 401,
}

export const restApi = ({ resources = [], usagePlans = [] }: ApiParts = {}): RestApi => ({
  id: 'abcdef1234',
  stageName: 'v1',
  deploymentId: 'a1b2c3',
  resources,
  gatewayResponses: new Map(
    Object.entries(statuses).map(([type, status]) => [type, { status, headers: { 'Own-Header': 'yes' }, body: type }]),
  ),
  usagePlans: new Map(usagePlans.map((plan) => [plan.id, plan])),
  apiKeys: new Map(),
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

/** Functions with the outcomes that the test gives. They record their events, and the problems reported of them. */
export const fakeFunctions = (outcomes: Readonly<Record<string, InvocationOutcome | Promise<InvocationOutcome>>>) => {
  const events: object[] = []
  const problems: string[] = []
  const functions: FunctionInvoker = {
    invoke: async (functionName, event) => {
      events.push(JSON.parse(event))
      const outcome = outcomes[functionName]
      if (outcome === undefined) throw new Error(`The test has no function ${functionName}.`)
      return outcome
    },
    report: (_functionName, problem) => problems.push(problem),
  }
  return { functions, events, problems }
}

export const result = (value: unknown): InvocationOutcome => ({ kind: 'result', payload: JSON.stringify(value) })

export const failure = (errorMessage: string): InvocationOutcome => ({
  kind: 'error',
  errorType: 'Error',
  errorMessage,
  stack: undefined,
})

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
