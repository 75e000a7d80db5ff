import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { openLocalKeys } from '../../infra/keys/local-keys.ts'
import { startLocalEnvironment } from '../../infra/local/environment.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    readonly baseUrl: string
    readonly apiKey: string
    /** Where the local environment keeps its data; `null` for a deployed API. */
    readonly dataFolder: string | null
  }
}

/**
 * Aims the suite: at the API that PET_API_URL and PET_API_KEY name, or else at a local environment that is
 * started for it. The key needs a plan with room for some thousand requests a minute.
 */
export default async (project: TestProject): Promise<(() => Promise<void>) | undefined> => {
  const { PET_API_URL: baseUrl, PET_API_KEY: apiKey } = process.env
  if (baseUrl !== undefined && apiKey !== undefined) {
    project.provide('baseUrl', baseUrl.replace(/\/$/, ''))
    project.provide('apiKey', apiKey)
    project.provide('dataFolder', null)
    return undefined
  }
  if (baseUrl !== undefined || apiKey !== undefined)
    throw new Error('Set both PET_API_URL and PET_API_KEY, or neither.')
  const dataFolder = await mkdtemp(join(tmpdir(), 'pet-adoption-'))
  const environment = await startLocalEnvironment({ port: 0, dataFolder, engine: 'dynalite' })
  const allowance = { perMinute: 1_000_000, perDay: 100_000_000 }
  const issued = await openLocalKeys(dataFolder).issue({ owner: 'the end-to-end tests', plan: 'enterprise', allowance })
  project.provide('baseUrl', environment.baseUrl)
  project.provide('apiKey', issued.apiKey)
  project.provide('dataFolder', dataFolder)
  return async () => {
    await environment.stop()
    await rm(dataFolder, { recursive: true, force: true })
  }
}
