import { setTimeout } from 'node:timers/promises'
import type { TestProject } from 'vitest/node'
import type { EnvironmentSelector } from '../../infra/commands/environment/open-environment.ts'
import { environmentNames } from '../../infra/environments.ts'
import { startDynalite } from '../../infra/local/database/dynalite.ts'
import { systemClock } from '../../shared/clock.ts'
import { petsTableSchema } from '../../shared/dynamodb/table-schemas.ts'
import { LaggingIndex, listPutItems, type NewestQuery } from '../fixtures/database/lagging-index.ts'
import { openLocalEnvironment } from '../fixtures/environment/local-environment.ts'
import { type LocalProxy, type ProxiedResponse, readHeader, startProxy } from '../fixtures/machine/proxy.ts'

/** The API that the end-to-end tests are aimed at. */
interface ApiUnderTest {
  readonly baseUrl: string
  /** Key of a plan with room for some thousand requests a minute. */
  readonly apiKey: string
  /** Environment whose keys the suite may issue; `null` for none. */
  readonly target: EnvironmentSelector | null
}

declare module 'vitest' {
  export interface ProvidedContext {
    readonly api: ApiUnderTest
  }
}

/**
 * Aims the end-to-end tests at the API that PET_API_URL and PET_API_KEY name. Without them it starts a local
 * environment whose lists are late, as they are on AWS.
 *
 * Tests that issue keys also need one of these:
 *
 * - PET_API_ENVIRONMENT: name of the API's environment on AWS, with credentials that may issue keys.
 * - PET_API_DATA: data folder of the local environment whose tables the API uses.
 *
 * With PET_API_READ_ONLY the suite adds no pets. Without an environment it then sends no `POST /pets` at all, so a key
 * with the scope `read` is enough.
 *
 * @returns a function that stops the local environment
 */
export default async (project: TestProject): Promise<(() => Promise<void>) | undefined> => {
  const {
    PET_API_URL: url,
    PET_API_KEY: apiKey,
    PET_API_ENVIRONMENT: environmentName,
    PET_API_DATA: dataFolder,
  } = process.env

  if (url === undefined && apiKey === undefined && environmentName === undefined) {
    const local = await openWithLaggingIndex()
    project.provide('api', {
      baseUrl: local.baseUrl,
      apiKey: local.apiKey,
      target: { name: 'local', dataFolder: local.dataFolder },
    })
    return local.stop
  }

  if (url === undefined || apiKey === undefined) {
    throw new Error('Set both PET_API_URL and PET_API_KEY, or neither. PET_API_ENVIRONMENT needs both.')
  }
  const knownName = environmentNames.find((name) => name === environmentName)
  if (knownName !== environmentName) {
    throw new Error(`PET_API_ENVIRONMENT must be ${environmentNames.join(' or ')}.`)
  }

  const baseUrl = readBaseUrl(url)
  await waitForApi(baseUrl, apiKey)
  project.provide('api', { baseUrl, apiKey, target: chooseTarget(knownName, dataFolder) })
  return undefined
}

/** Opens a local environment whose status index lags, so that a test fails that lists a new pet only once. */
const openWithLaggingIndex = async () => {
  const database = await startDynalite()
  const lagMilliseconds = 500
  const proxy = await startLaggingProxy(database.endpoint, lagMilliseconds)
  const local = await openLocalEnvironment({ dynamodb: proxy.endpoint })

  const stop = async (): Promise<void> => {
    await local.stop()
    await proxy[Symbol.asyncDispose]()
    await database.close()
  }
  return { ...local, stop }
}

const chooseTarget = (
  environmentName: (typeof environmentNames)[number] | undefined,
  dataFolder: string | undefined,
): EnvironmentSelector | null => {
  if (environmentName !== undefined) return { name: environmentName }
  if (dataFolder !== undefined) return { name: 'local', dataFolder }
  return null
}

/** The parameters of any call to DynamoDB, as far as the proxy reads them. */
interface Parameters extends NewestQuery {
  readonly TableName?: string
  readonly IndexName?: string
  readonly GlobalSecondaryIndexes?: readonly { readonly IndexName: string }[]
}

/**
 * Starts a proxy in front of a DynamoDB engine without tables, whose status index then lags behind the pets table.
 *
 * @param lagMilliseconds time after which the index has a write
 */
const startLaggingProxy = (engineEndpoint: string, lagMilliseconds: number): Promise<LocalProxy> => {
  const index = new LaggingIndex({ clock: systemClock, drawLag: () => lagMilliseconds })
  let petsTable: string | undefined

  /** Learns the name of the pets table from its creation, and the items of the index from writes to this table. */
  const learn = (operation: string, parameters: Parameters): void => {
    if (operation === 'CreateTable' && hasStatusIndex(parameters)) petsTable = parameters.TableName
    // The local environment creates all tables before it stores a pet.
    if (petsTable === undefined) return
    for (const item of listPutItems(operation, parameters, petsTable)) index.follow(item)
  }

  return startProxy(engineEndpoint, async (request, forward) => {
    const operation = readHeader(request, 'x-amz-target').replace(/^.*\./, '')
    // The local environment first looks whether the engine responds, without an operation.
    if (operation === '') return forward(request)
    const parameters: Parameters = JSON.parse(request.body.toString())
    const isIndexQuery = parameters.IndexName !== undefined && parameters.TableName === petsTable
    if (isIndexQuery) return respond(index.query(parameters))

    const response = await forward(request)
    if (response.status === 200) learn(operation, parameters)
    return response
  })
}

const hasStatusIndex = ({ GlobalSecondaryIndexes = [] }: Parameters): boolean =>
  GlobalSecondaryIndexes.some(({ IndexName }) => IndexName === petsTableSchema.statusIndex.name)

const respond = (result: object): ProxiedResponse => {
  const body = Buffer.from(JSON.stringify(result))
  const headers = ['Content-Type', 'application/x-amz-json-1.0', 'Content-Length', String(body.length)]
  return { status: 200, headers, body }
}

/**
 * Reads the base URL of an API. The result has no slash at its end.
 *
 * @throws Error for a URL that would send the API key unencrypted over a network
 */
const readBaseUrl = (text: string): string => {
  const url = URL.canParse(text) ? new URL(text) : undefined
  // WHATWG URL writes every form of an IPv4 address as four decimal numbers.
  const isLoopback = /^(localhost|127(\.\d+){3}|\[::1\])$/.test(url?.hostname ?? '')
  if (url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback)) return url.href.replace(/\/$/, '')
  throw new Error(
    'PET_API_URL must be a base URL such as https://api.example.com/v1; ' +
      'http:// is allowed only for this machine, because the API key would be sent unencrypted.',
  )
}

/** Maximum number of requests while the suite waits for the API: ten minutes with a pause after each. */
const maximumAttempts = 120
const pauseMilliseconds = 5_000

/**
 * Waits until the API responds to a key. API Gateway takes minutes until the unlimited gateway key of a new environment
 * works.
 *
 * @throws Error after ten minutes
 */
const waitForApi = async (baseUrl: string, apiKey: string): Promise<void> => {
  for (let attempt = 1; attempt <= maximumAttempts; attempt += 1) {
    const problem = await findProblem(baseUrl, apiKey)
    if (problem === undefined) return
    console.error(`Waiting for ${baseUrl}, ten minutes at most. It responds: ${problem}`)
    await setTimeout(pauseMilliseconds)
  }
  throw new Error(`After ten minutes ${baseUrl} still does not respond.`)
}

/** Requests a list. @returns the status or the error that is wrong, or `undefined` if the API responds */
const findProblem = async (baseUrl: string, apiKey: string): Promise<unknown> => {
  try {
    const response = await fetch(`${baseUrl}/pets?limit=1`, { headers: { Authorization: `Bearer ${apiKey}` } })
    return response.ok ? undefined : response.status
  } catch (error) {
    // fetch throws a TypeError whose cause says what has failed.
    return error instanceof Error ? (error.cause ?? error) : error
  }
}
