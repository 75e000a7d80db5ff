import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bundleForDebugger } from '../../bundling/function-bundle.ts'
import type { LambdaFunction } from '../template/environment-template.ts'

/** Time limit of a function that waits at a breakpoint: a day. */
const patientMilliseconds = 86_400_000

/**
 * Bundles functions for a debugger. Unlike the deployed ones, the bundles are not minified, and the functions have a
 * timeout of a day. The bundles are deleted when this process ends.
 */
export const bundleForInspection = (
  functions: ReadonlyMap<string, LambdaFunction>,
): ReadonlyMap<string, LambdaFunction> => {
  const folder = mkdtempSync(join(tmpdir(), 'pet-adoption-debugger-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))

  const bundleOne = (lambda: LambdaFunction): LambdaFunction => {
    const bundleFolder = join(folder, lambda.name)
    const sourceMap = join(bundleFolder, 'index.js.map')
    const map = bundleForDebugger(lambda.name, bundleFolder)
    writeFileSync(sourceMap, map)
    return { ...lambda, folder: bundleFolder, sourceMap, timeoutMilliseconds: patientMilliseconds }
  }
  return new Map([...functions].map(([name, lambda]) => [name, bundleOne(lambda)]))
}
