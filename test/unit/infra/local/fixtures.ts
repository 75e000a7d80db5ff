import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { LambdaFunction } from '../../../../infra/local/template/environment-template.ts'

/** A new folder. It goes with the temporary folder of the run. */
export const temporaryFolder = (): string => mkdtempSync(join(tmpdir(), 'folder-'))

/** A real bundle of one file, as a template would describe it. */
export const bundle = (code: string, change: Partial<LambdaFunction> = {}): LambdaFunction => {
  const folder = temporaryFolder()
  writeFileSync(join(folder, 'bundle.js'), code)
  writeFileSync(join(folder, 'package.json'), '{"type":"commonjs"}')
  const limits = { timeoutMilliseconds: 3_000, memoryMegabytes: 128 }
  return { name: 'hosted', folder, handler: 'bundle.handler', environment: {}, ...limits, ...change }
}
