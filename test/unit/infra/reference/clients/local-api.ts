import { join } from 'node:path'
import { afterAll, beforeAll } from 'vitest'
import { type LocalEnvironment, startLocalEnvironment } from '../../../../../infra/local/environment.ts'
import type { KeyAdministration } from '../../../../../infra/operations/keys/administration.ts'
import { findLocalKeys } from '../../../../../infra/operations/keys/local-keys.ts'
import { sharedAssembly } from '../../../../fixtures/assembly.ts'
import { temporaryFolder } from '../../local/fixtures.ts'

export interface LocalApi {
  readonly baseUrl: string
  /** Of a key with more requests than a test file makes. */
  readonly apiKey: string
  readonly keys: KeyAdministration
}

/** A local environment for one test file, to be asked for within its tests. */
export const localApi = (): (() => LocalApi) => {
  const folder = temporaryFolder()
  let environment: LocalEnvironment | undefined
  let api: LocalApi | undefined
  beforeAll(async () => {
    const dataFolder = join(folder, 'data')
    environment = await startLocalEnvironment({ port: 0, dataFolder, engine: 'dynalite', assembly: sharedAssembly })
    const keys = await findLocalKeys(dataFolder)
    const allowance = { perMinute: 100_000, perDay: 1_000_000 }
    const { apiKey } = await keys.issue({ owner: 'the clients', plan: 'enterprise', allowance })
    api = { baseUrl: environment.baseUrl, apiKey, keys }
  })
  afterAll(() => environment?.stop())
  return () => {
    if (api === undefined) throw new Error('The environment has not started.')
    return api
  }
}
