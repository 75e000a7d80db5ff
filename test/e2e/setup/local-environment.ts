import type { TestProject } from 'vitest/node'
import type { EnvironmentSelector } from '../../../infra/commands/environment/open-environment.ts'
import { environmentNames } from '../../../infra/environments.ts'
import { startDynalite } from '../../../infra/local/database/dynalite.ts'
import { openLocalEnvironment } from '../../fixtures/environment/local-environment.ts'
import { readBaseUrl, waitForApi } from './deployed-api.ts'
import { startLaggingProxy } from './lagging-proxy.ts'

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
  const proxy = await startLaggingProxy(database.endpoint, 500)
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
