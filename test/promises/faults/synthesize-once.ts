import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { synthesize } from '../../../infra/synthesis/synthesize.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** The folder of the cloud assembly whose bundles the tests of faults run. */
    readonly faultsAssembly: string
  }
}

/** Synthesizes the app once for all test files. */
export default async (project: TestProject): Promise<() => void> => {
  const folder = mkdtempSync(join(tmpdir(), 'pet-adoption-faults-'))
  await synthesize(folder)
  project.provide('faultsAssembly', folder)
  return () => rmSync(folder, { recursive: true, force: true })
}
