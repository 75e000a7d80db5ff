import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'
import type { LambdaFunction } from '../../../../infra/local/template/environment-template.ts'

/** A folder for one test file, gone after it. */
export const temporaryFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'pet-adoption-test-'))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** A real bundle of one file, as a template would describe it. */
export const bundle = (
  folder: string,
  name: string,
  code: string,
  change: Partial<LambdaFunction> = {},
): LambdaFunction => {
  mkdirSync(join(folder, name))
  writeFileSync(join(folder, name, 'bundle.js'), code)
  writeFileSync(join(folder, name, 'package.json'), '{"type":"commonjs"}')
  return {
    ...{ name, folder: join(folder, name), handler: 'bundle.handler' },
    ...{ timeoutMilliseconds: 3_000, memoryMegabytes: 128, environment: {} },
    ...change,
  }
}
