import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { afterAll, afterEach, beforeAll, expect } from 'vitest'
import { localStage } from '../../../infra/environments.ts'
import { startDynalite } from '../../../infra/local/database/dynalite.ts'
import { openGateway } from '../../../infra/local/gateway/server.ts'
import {
  createFunctionHost,
  type FunctionHost,
  type FunctionInvoker,
} from '../../../infra/local/lambda/function-host.ts'
import { FunctionInstance } from '../../../infra/local/lambda/function-instance.ts'
import type { InvocationOutcome } from '../../../infra/local/lambda/invocation.ts'
import { createRuntime } from '../../../infra/local/runtime.ts'
import { readEnvironmentTemplate } from '../../../infra/local/template/environment-template.ts'
import { administer } from '../../../infra/operations/keys/administer.ts'
import type { KeyAdministration } from '../../../infra/operations/keys/administration.ts'
import type { IssuedKey } from '../../../infra/operations/keys/new-key.ts'
import type { ResourceNames } from '../../../infra/operations/target/resource-names.ts'
import type { Allowance } from '../../../shared/api-keys/plans.ts'
import { systemClock } from '../../../shared/clock.ts'
import { sharedAssembly } from '../../fixtures/assembly.ts'
import { checkResponse, type SeenResponse } from '../../fixtures/check-response.ts'
import { clientOf } from '../../fixtures/engines.ts'
import { type Api, type KeyName, keyOrders } from '../../requests/scenario.ts'
import { type Call, type FaultProxy, startFaultProxy, unharmed } from './fault-proxy.ts'

/** One invocation of a function, as Lambda would report it. */
export interface Invocation {
  /** The function's folder in `functions/`. */
  readonly operation: string | undefined
  readonly outcome: InvocationOutcome
  /** The calls to DynamoDB while it ran: its own, where nothing else was running. */
  readonly calls: readonly Call[]
}

export const isTimedOut = ({ outcome }: Invocation): boolean =>
  outcome.kind === 'error' && outcome.errorType === 'Sandbox.Timedout'

/** The local environment's functions and gateway, where only the functions reach the database by a proxy. */
export interface FaultyService {
  readonly proxy: FaultProxy
  readonly names: ResourceNames
  readonly client: DynamoDBDocumentClient
  readonly invocations: Invocation[]
  /** The lines that the functions have written. */
  readonly reports: string[]
  /** A key with more requests than a test file makes. */
  readonly key: IssuedKey
  readonly keys: KeyAdministration
  /** Sends a request, and checks its response against the contract. */
  send(request: SentRequest): Promise<SeenResponse>
  issueKey(allowance: Allowance): Promise<IssuedKey>
  /** Invokes a function in the place of that of the sources; `undefined` leaves it to that. */
  instead: (operation: string | undefined) => FunctionInvoker | undefined
  /** Hosts other bundles of the functions on the same tables, by their folders in `functions/`. Who asks closes it. */
  host(bundles: ReadonlyMap<string, string>): FunctionHost
  /** The API as the table of requests is sent to it. */
  readonly api: () => Api
  /** Ends a function in the middle of an invocation: of those that run, the one that was invoked first. */
  crash(): Promise<void>
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
    running().instead = () => undefined
  })
  return running
}

/** Has each instance, which the local environment keeps to itself, be known while it runs. */
const watchInstances = () => {
  const running = new Set<FunctionInstance>()
  const { invoke } = FunctionInstance.prototype
  FunctionInstance.prototype.invoke = async function (event) {
    running.add(this)
    const outcome = await invoke.call(this, event)
    running.delete(this)
    return outcome
  }
  const stop = () => {
    FunctionInstance.prototype.invoke = invoke
  }
  return { running, stop }
}

const startFaultyService = async (): Promise<FaultyService> => {
  await using resources = new AsyncDisposableStack()
  const instances = watchInstances()
  resources.defer(instances.stop)
  const database = await startDynalite()
  resources.defer(database.close)
  const { client, plain } = clientOf({ name: 'dynalite', endpoint: database.endpoint })
  resources.defer(() => client.destroy())
  const proxy = await startFaultProxy(database.endpoint)
  resources.defer(proxy.close)

  const invocations: Invocation[] = []
  const reports: string[] = []
  const { served, functions, names } = await createRuntime({
    assembly: sharedAssembly,
    database: { ...database, endpoint: proxy.endpoint },
    client: plain,
    writeLine: (line) => void reports.push(line),
  })
  resources.defer(functions.close)
  const gateway = await openGateway({ port: 0, clock: systemClock, writeLine: () => {} })
  resources.defer(gateway.close)
  const template = readEnvironmentTemplate(sharedAssembly, localStage)
  const invoke = async (functionName: string, event: string) => {
    const operation = template.functions.get(functionName)?.operation
    const earlierCalls = proxy.calls.length
    const outcome = await (service.instead(operation) ?? functions).invoke(functionName, event)
    invocations.push({ operation, outcome, calls: proxy.calls.slice(earlierCalls) })
    return outcome
  }
  gateway.serve({ ...served, functions: { ...functions, invoke } })

  const keys = administer({ environment: 'local', database: DynamoDBDocumentClient.from(plain), tables: names.tables })
  const issueKey = (allowance: Allowance) => keys.issue({ owner: 'a test', plan: 'enterprise', allowance })
  const key = await issueKey({ perMinute: 1_000_000, perDay: 1_000_000 })
  const baseUrl = `http://127.0.0.1:${gateway.port}/${served.api.stageName}`
  const host = (bundles: ReadonlyMap<string, string>): FunctionHost => {
    const replaced = [...template.functions].map(([name, lambda]) => {
      const folder = bundles.get(lambda.operation ?? '')
      return [name, folder === undefined ? lambda : { ...lambda, folder }] as const
    })
    const other = createFunctionHost({
      functions: new Map(replaced),
      databaseEndpoint: proxy.endpoint,
      writeLine: (_name, line) => void reports.push(line),
    })
    return other
  }
  const api = (): Api => {
    const issued = new Map<KeyName, Promise<IssuedKey>>([['usual', Promise.resolve(key)]])
    return {
      send: async ({ method, target, headers, body }) => {
        const request = { method, headers, ...(body !== undefined && { body }) }
        const response = await fetch(target.startsWith('http') ? target : baseUrl + target, request)
        return { status: response.status, headers: response.headers, text: await response.text() }
      },
      key: async (name) => {
        const [allowance, scope] = keyOrders[name]
        const ordered = issued.get(name) ?? keys.issue({ owner: 'a test', plan: 'enterprise', allowance, scope })
        issued.set(name, ordered)
        return (await ordered).apiKey
      },
    }
  }
  const service: FaultyService = {
    ...{ instead: () => undefined, host, api },
    ...{ proxy, names, client, invocations, reports, key, keys, issueKey },
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
    crash: async () => {
      const [instance] = instances.running
      await instance?.end()
    },
    stop: () => running.disposeAsync(),
  }
  const running = resources.move()
  return service
}
