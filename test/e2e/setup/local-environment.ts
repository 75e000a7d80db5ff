import type { TestProject } from 'vitest/node'
import { environmentNames } from '../../../infra/environments.ts'
import type { EnvironmentSelector } from '../../../infra/operations/environment/open-environment.ts'
import { openLocalEnvironment } from '../../fixtures/local-environment.ts'
import { readBaseUrl, untilItResponds } from './deployed-api.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** The API under test. */
    readonly api: {
      readonly baseUrl: string
      /** Of a plan with room for some thousand requests a minute. */
      readonly apiKey: string
      /** The environment whose keys the suite may issue; `null` for none. */
      readonly target: EnvironmentSelector | null
    }
  }
}

/**
 * Aims the suite: at the API that PET_API_URL and PET_API_KEY name, or else at a local environment that is started for it.
 * For the tests that issue keys, PET_API_ENVIRONMENT names the API's environment on AWS, with credentials that may, or
 * PET_API_DATA the data folder of a local environment whose tables the API uses.
 */
export default async (project: TestProject): Promise<(() => Promise<void>) | undefined> => {
  const { PET_API_URL: url, PET_API_KEY: apiKey, PET_API_ENVIRONMENT: named, PET_API_DATA: data } = process.env
  if (url === undefined && apiKey === undefined && named === undefined) {
    const { baseUrl, apiKey, dataFolder, stop } = await openLocalEnvironment()
    project.provide('api', { baseUrl, apiKey, target: { name: 'local', dataFolder } })
    return stop
  }
  const environment = environmentNames.find((name) => name === named)
  if (url === undefined || apiKey === undefined || environment !== named) {
    const names = environmentNames.join(' or ')
    throw new Error(`Set both PET_API_URL and PET_API_KEY, or neither. PET_API_ENVIRONMENT goes with them: ${names}.`)
  }
  const local = data === undefined ? null : ({ name: 'local', dataFolder: data } as const)
  const baseUrl = readBaseUrl(url)
  await untilItResponds(baseUrl, apiKey)
  project.provide('api', { baseUrl, apiKey, target: environment === undefined ? local : { name: environment } })
  return undefined
}
