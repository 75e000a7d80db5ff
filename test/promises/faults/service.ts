import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { afterAll, afterEach, beforeAll, expect } from 'vitest'
import { localStage } from '../../../infra/environments.ts'
import { createTables } from '../../../infra/local/database/create-tables.ts'
import { startDynalite } from '../../../infra/local/database/dynalite.ts'
import { createUsage } from '../../../infra/local/gateway/meter.ts'
import { openGateway } from '../../../infra/local/gateway/server/open-gateway.ts'
import { FunctionInstance } from '../../../infra/local/lambda/function-instance.ts'
import { createInstancePool, type InstancePool } from '../../../infra/local/lambda/instance-pool.ts'
import type { InvocationOutcome } from '../../../infra/local/lambda/invocation.ts'
import { namesIn, readEnvironmentTemplate } from '../../../infra/local/template/environment-template.ts'
import type { IssuedKey } from '../../../infra/operations/keys/issuing.ts'
import { localKeys } from '../../../infra/operations/keys/local-keys.ts'
import { createEdgeKeys, edgeKeysTable } from '../../../infra/operations/target/edge-keys.ts'
import { connect } from '../../../infra/operations/target/local-database.ts'
import type { ResourceNames } from '../../../infra/operations/target/resource-names.ts'
import type { ApiKeyRecord } from '../../../shared/api-keys/api-key-record.ts'
import type { Allowance } from '../../../shared/api-keys/plans.ts'
import { systemClock } from '../../../shared/clock.ts'
import { readNumber } from '../../../shared/int64.ts'
import { sharedAssembly } from '../../fixtures/assembly.ts'
import { checkResponse, type SeenResponse } from '../../fixtures/check-response.ts'
import { type FaultProxy, startFaultProxy, unharmed } from './fault-proxy.ts'

/** One invocation of a function, as Lambda would report it. */
export interface Invocation {
  /** The function's folder in `functions/`. */
  readonly operation: string
  /** From the event to the response; `undefined` for the first of an instance, which is also loaded in that time. */
  readonly milliseconds: number | undefined
  readonly outcome: InvocationOutcome
}

/** The deployable bundles behind the gateway, on an engine that they reach by a proxy. Everything else reaches it directly. */
export interface FaultyService {
  readonly proxy: FaultProxy
  readonly names: ResourceNames
  readonly client: DynamoDBDocumentClient
  readonly invocations: Invocation[]
  /** The lines that the functions have written. */
  readonly reports: string[]
  /** A key with more requests than a test file makes. */
  readonly key: IssuedKey
  /** Sends a request, and checks its response against the contract. */
  send(request: SentRequest): Promise<SeenResponse>
  issueKey(allowance: Allowance): Promise<IssuedKey>
  showKey(keyId: string): Promise<ApiKeyRecord>
  /** Ends the instance that is this caller of the proxy, in the middle of what it does. */
  crash(caller: string): Promise<void>
  stop(): Promise<void>
}

export interface SentRequest {
  readonly path: string
  /** What is posted; without it the request is a GET. */
  readonly body?: object
  readonly idempotencyKey?: string
  /** @default the service's `key` */
  readonly apiKey?: string
}

/** The service for one test file, to be asked for within its tests. No fault outlasts a test. */
export const faultyService = (): (() => FaultyService) => {
  let service: FaultyService | undefined
  beforeAll(async () => {
    service = await startFaultyService()
  })
  afterAll(() => service?.stop())
  const running = (): FaultyService => {
    if (service === undefined) throw new Error('The service has not started.')
    return service
  }
  afterEach(() => {
    running().proxy.decide = unharmed
  })
  return running
}

/** Enough for the requests that a test sends at once. */
const mostInstances = 4

const startFaultyService = async (): Promise<FaultyService> => {
  await using resources = new AsyncDisposableStack()
  const template = readEnvironmentTemplate(sharedAssembly, localStage)
  const database = await startDynalite(undefined)
  resources.defer(database.close)
  const plain = connect(database.endpoint)
  resources.defer(() => plain.destroy())
  await createTables(plain, database, [...template.tables, edgeKeysTable])
  const proxy = await startFaultProxy(database.endpoint)
  resources.defer(proxy.close)

  const invocations: Invocation[] = []
  const reports: string[] = []
  const instances = new Map<string, FunctionInstance>()
  const pools = new Map<string, InstancePool>()
  for (const lambda of template.functions.values()) {
    const { name, operation = name } = lambda
    const start = () => {
      const caller = `${operation}-${instances.size}`
      const instance = new FunctionInstance(lambda, {
        databaseEndpoint: proxy.endpointFor(caller),
        writeLine: (line) => void reports.push(line),
      })
      instances.set(caller, instance)
      const invoke = instance.invoke.bind(instance)
      let isLoaded = false
      instance.invoke = async (event) => {
        const startedAt = performance.now()
        const outcome = await invoke(event)
        const milliseconds = isLoaded ? performance.now() - startedAt : undefined
        isLoaded = true
        invocations.push({ operation, milliseconds, outcome })
        return outcome
      }
      return instance
    }
    const pool = createInstancePool(start, mostInstances)
    pools.set(name, pool)
    resources.defer(pool.close)
  }
  const functions = {
    invoke: async (name: string, event: string) => {
      const pool = pools.get(name)
      if (pool === undefined) throw new Error(`There is no function ${name}.`)
      return pool.invoke(event)
    },
    report: () => {},
  }
  const gateway = await openGateway({ port: 0, clock: systemClock, writeLine: () => {} })
  resources.defer(gateway.close)
  const usageMeter = { edgeKeys: createEdgeKeys(plain), usage: createUsage(systemClock) }
  gateway.serve({ api: template.restApi, functions, usageMeter })

  const names = namesIn(template)
  const keys = localKeys(plain, names)
  const issueKey = (allowance: Allowance) => keys.issue({ owner: 'a test', plan: 'enterprise', allowance })
  const key = await issueKey({ perMinute: 1_000_000, perDay: 1_000_000 })
  const baseUrl = `http://127.0.0.1:${gateway.port}/${template.restApi.stageName}`
  const running = resources.move()
  return {
    key,
    send: async ({ path, body, idempotencyKey, apiKey = key.apiKey }) => {
      const method = body === undefined ? 'GET' : 'POST'
      const headers = new Headers({ Authorization: `Bearer ${apiKey}` })
      if (body !== undefined) headers.set('Content-Type', 'application/json')
      if (idempotencyKey !== undefined) headers.set('Idempotency-Key', idempotencyKey)
      const response = await fetch(baseUrl + path, { method, headers, body: JSON.stringify(body) ?? null })
      const seen = { status: response.status, headers: response.headers, text: await response.text() }
      expect(checkResponse(method, path.replace(/\?.*/, ''), seen)).toEqual([])
      return seen
    },
    proxy,
    names,
    client: DynamoDBDocumentClient.from(plain, { unmarshallOptions: { wrapNumbers: readNumber } }),
    invocations,
    reports,
    issueKey,
    showKey: (keyId) => keys.show(keyId),
    crash: async (caller) => {
      await instances.get(caller)?.end()
    },
    stop: () => running.disposeAsync(),
  }
}
