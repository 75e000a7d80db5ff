import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { type EnvironmentName, environmentNames } from '../../../infra/environments.ts'
import { startLocalEnvironment } from '../../../infra/local/environment.ts'
import { sharedAssembly } from '../../fixtures/assembly.ts'
import { findLocalKeys } from '../../fixtures/environment-process.ts'
import { readBaseUrl, untilItResponds } from './deployed-api.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    readonly baseUrl: string
    readonly apiKey: string
    /** Where the local environment under test keeps its data; `null` for a deployed API. */
    readonly dataFolder: string | null
    /** The environment on AWS whose keys the suite may issue; `null` for none. */
    readonly environment: EnvironmentName | null
  }
}

/**
 * Aims the suite: at the API that PET_API_URL and PET_API_KEY name, or else at a local environment that is
 * started for it. The key needs a plan with room for some thousand requests a minute. PET_API_ENVIRONMENT
 * names the API's environment on AWS, for the tests that issue keys, with credentials that may. PET_API_DATA
 * does the same for an API that uses the tables of a local environment: it names its data folder.
 */
export default async (project: TestProject): Promise<(() => Promise<void>) | undefined> => {
  const { PET_API_URL: baseUrl, PET_API_KEY: apiKey, PET_API_ENVIRONMENT: environment, PET_API_DATA } = process.env
  if (baseUrl !== undefined && apiKey !== undefined) {
    await untilItResponds(readBaseUrl(baseUrl), apiKey)
    project.provide('baseUrl', readBaseUrl(baseUrl))
    project.provide('apiKey', apiKey)
    project.provide('dataFolder', PET_API_DATA ?? null)
    project.provide('environment', environment === undefined ? null : environmentNamed(environment))
    return undefined
  }
  if (baseUrl !== undefined || apiKey !== undefined)
    throw new Error('Set both PET_API_URL and PET_API_KEY, or neither.')
  if (environment !== undefined) throw new Error('PET_API_ENVIRONMENT goes with PET_API_URL and PET_API_KEY.')
  const dataFolder = await mkdtemp(join(tmpdir(), 'pet-adoption-'))
  const local = await startLocalEnvironment({ port: 0, dataFolder, assembly: sharedAssembly })
  const allowance = { perMinute: 1_000_000, perDay: 100_000_000 }
  const keys = await findLocalKeys(dataFolder)
  const issued = await keys.issue({ owner: 'the end-to-end tests', plan: 'enterprise', allowance })
  project.provide('baseUrl', local.baseUrl)
  project.provide('apiKey', issued.apiKey)
  project.provide('dataFolder', dataFolder)
  project.provide('environment', null)
  return async () => {
    await local.stop()
    await rm(dataFolder, { recursive: true, force: true })
  }
}

const environmentNamed = (text: string): EnvironmentName => {
  const name = environmentNames.find((known) => known === text)
  if (name === undefined) throw new Error(`PET_API_ENVIRONMENT takes ${environmentNames.join(' or ')}.`)
  return name
}
