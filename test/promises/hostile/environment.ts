import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startLocalEnvironment } from '../../../infra/local/environment.ts'
import { findLocalKeys } from '../../../infra/operations/keys/local-keys.ts'
import { sharedAssembly } from '../../fixtures/assembly.ts'

export interface HostileTarget {
  readonly port: number
  readonly baseUrl: string
  /** A key that no test uses up. */
  readonly apiKey: string
  /** What the environment wrote for whoever runs it. */
  readonly lines: readonly string[]
  stop(): Promise<void>
}

/** A whole local environment, of which nothing is left after it. */
export const startTarget = async (): Promise<HostileTarget> => {
  const dataFolder = await mkdtemp(join(tmpdir(), 'pet-adoption-'))
  const lines: string[] = []
  const local = await startLocalEnvironment({
    port: 0,
    dataFolder,
    assembly: sharedAssembly,
    writeLine: (line) => lines.push(line),
  })
  const keys = await findLocalKeys(dataFolder)
  const allowance = { perMinute: 1_000_000, perDay: 100_000_000 }
  const { apiKey } = await keys.issue({ owner: 'the hostile tests', plan: 'enterprise', allowance })
  return {
    port: local.port,
    baseUrl: local.baseUrl,
    apiKey,
    lines,
    stop: async () => {
      await local.stop()
      await rm(dataFolder, { recursive: true, force: true })
    },
  }
}
