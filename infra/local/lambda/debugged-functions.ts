import { join } from 'node:path'
import { bundleForDebugger } from '../../bundling/function-bundle.ts'
import type { LambdaFunction } from '../template/environment-template.ts'

/** Time limit of a function that waits at a breakpoint: a day. */
const patientMilliseconds = 86_400_000

/**
 * Bundles functions for a debugger. Unlike the deployed ones, the bundles are not minified and contain their source
 * maps, and the functions have a timeout of a day.
 *
 * @param assembly folder of the cloud assembly with the functions. Its folder `debugger` gets the bundles: debuggers
 * look for compiled files in the project, and the folder is removed with the assembly.
 */
export const bundleForInspection = (
  functions: ReadonlyMap<string, LambdaFunction>,
  assembly: string,
): ReadonlyMap<string, LambdaFunction> => {
  const bundleOne = (lambda: LambdaFunction): LambdaFunction => {
    const folder = join(assembly, 'debugger', lambda.name)
    bundleForDebugger(lambda.name, folder)
    return { ...lambda, folder, sourceMap: undefined, timeoutMilliseconds: patientMilliseconds }
  }
  return new Map([...functions].map(([name, lambda]) => [name, bundleOne(lambda)]))
}
