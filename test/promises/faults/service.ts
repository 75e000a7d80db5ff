import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { afterAll, afterEach, beforeAll } from 'vitest'
import { localStage } from '../../../infra/environments.ts'
import { createTables } from '../../../infra/local/database/create-tables.ts'
import { startDynalite } from '../../../infra/local/database/dynalite.ts'
import { createFunctionHost, type FunctionInvoker } from '../../../infra/local/lambda/function-host.ts'
import type { InvocationOutcome } from '../../../infra/local/lambda/function-instance.ts'
import { readEnvironmentTemplate } from '../../../infra/local/template/environment-template.ts'
import { KeyAdministration } from '../../../infra/operations/keys/administration.ts'
import { openApi } from '../../fixtures/api.ts'
import { createClients } from '../../fixtures/clients.ts'
import { sharedAssembly } from '../../fixtures/local-environment.ts'
import type { DatabaseCall } from '../../fixtures/proxy.ts'
import { startFaultProxy } from './fault-proxy.ts'

/** One invocation of a function, as Lambda would report it. */
interface Invocation {
  /** The function's folder in `functions/`. */
  readonly operation: string
  readonly outcome: InvocationOutcome
  /** The calls to DynamoDB while it ran: its own, where nothing else was running. */
  readonly calls: readonly DatabaseCall[]
}

/** The local environment's functions and gateway, where only the functions reach the database by a proxy. */
const startFaultyService = async () => {
  await using resources = new AsyncDisposableStack()
  const database = await startDynalite()
  resources.defer(database.close)
  const { client, plain } = createClients({ name: 'dynalite', endpoint: database.endpoint })
  resources.defer(() => client.destroy())
  const proxy = resources.use(await startFaultProxy(database.endpoint))

  const invocations: Invocation[] = []
  const reports: string[] = []
  const { names, tables, functions: hosted } = readEnvironmentTemplate(sharedAssembly, localStage)
  await createTables(plain, tables)
  const writeLine = (line: string): void => void reports.push(line)
  const options = { databaseEndpoint: proxy.endpoint, writeLine }
  const functions = createFunctionHost({ ...options, functions: hosted })
  resources.defer(functions.close)
  const invoke = async (operation: string, event: string): Promise<InvocationOutcome> => {
    const earlierCalls = proxy.calls.length
    const outcome = await (service.instead(operation) ?? functions).invoke(operation, event)
    invocations.push({ operation, outcome, calls: proxy.calls.slice(earlierCalls) })
    return outcome
  }
  const keys = new KeyAdministration({
    name: 'local',
    database: DynamoDBDocumentClient.from(plain),
    tables: names.tables,
  })
  const api = resources.use(await openApi({ ...functions, invoke }, keys, writeLine))
  const running = resources.move()
  const service = {
    ...{ api, proxy, invocations, tables: names.tables, stop: () => running.disposeAsync() },
    /** Invokes a function in the place of that of the sources; `undefined` leaves it to that. */
    instead: (_operation: string | undefined): FunctionInvoker | undefined => undefined,
    /** Whether every function has ended by itself. One that runs into its timeout gives up just before, and says so. */
    endedInTime: () =>
      !invocations.some(({ outcome }) => outcome.kind === 'error' && outcome.message.startsWith('Task timed out')) &&
      !reports.some((line) => line.includes('before the timeout of the function')),
    /** Hosts other bundles of the functions on the same tables, by their folders in `functions/`. Who asks closes it. */
    host: (bundles: ReadonlyMap<string, string>) => {
      const others = [...bundles].flatMap(([name, folder]) => {
        const lambda = hosted.get(name)
        return lambda === undefined ? [] : [[name, { ...lambda, folder }] as const]
      })
      return createFunctionHost({ ...options, functions: new Map([...hosted, ...others]) })
    },
  }
  return service
}

type FaultyService = Awaited<ReturnType<typeof startFaultyService>>

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
    running().proxy.decide = () => undefined
    running().instead = () => undefined
  })
  return running
}
