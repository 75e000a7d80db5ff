import { join } from 'node:path'
import { afterAll, beforeAll } from 'vitest'
import { type LocalEnvironment, startLocalEnvironment } from '../../../../infra/local/environment.ts'
import type { KeyAdministration } from '../../../../infra/operations/keys/administration.ts'
import type { IssuedKey } from '../../../../infra/operations/keys/key.ts'
import { sharedAssembly } from '../../../fixtures/assembly.ts'
import { findLocalKeys } from '../../../fixtures/environment-process.ts'
import { temporaryFolder } from './fixtures.ts'

export interface LocalApi {
  readonly port: number
  readonly baseUrl: string
  /** With more requests than a test file makes. */
  readonly key: IssuedKey
  readonly apiKey: string
  readonly keys: KeyAdministration
  /** What the environment wrote for whoever runs it. */
  readonly lines: readonly string[]
}

/** A local environment for one test file, to be asked for within its tests. */
export const localApi = (): (() => LocalApi) => {
  const dataFolder = join(temporaryFolder(), 'data')
  let environment: LocalEnvironment | undefined
  let api: LocalApi | undefined
  beforeAll(async () => {
    const lines: string[] = []
    const writeLine = (line: string) => lines.push(line)
    environment = await startLocalEnvironment({ port: 0, dataFolder, assembly: sharedAssembly, writeLine })
    const { port, baseUrl } = environment
    const keys = await findLocalKeys(dataFolder)
    const allowance = { perMinute: 1_000_000, perDay: 100_000_000 }
    const key = await keys.issue({ owner: 'a test file', plan: 'enterprise', allowance })
    api = { port, baseUrl, key, apiKey: key.apiKey, keys, lines }
  })
  afterAll(() => environment?.stop())
  return () => {
    if (api === undefined) throw new Error('The environment has not started.')
    return api
  }
}
