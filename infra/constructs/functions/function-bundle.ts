/**
 * Bundles functions by esbuild's own API. CDK's `NodejsFunction` is slower: a first `npm start` takes 3.9 s instead of
 * 2.1, and a synth 7.1 s instead of 5.0. Its asset also lacks the package.json that marks a bundle as CommonJS, so the
 * local environment could not load it.
 */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type BuildOptions, buildSync } from 'esbuild'
import { repositoryRoot } from '../../command-line/repository-root.ts'
import { UserError } from '../../command-line/user-error.ts'

/**
 * Modules that the AWS SDK imports dynamically and that a function never loads. Lambda puts the credentials into the
 * environment, so the providers that the SDK would try next are not needed, and no call of DynamoDB has event streams.
 * If esbuild bundled these modules, it would wrap them, and all code that they share with others, in functions. Such
 * code takes V8 longer to load.
 */
const unreachedModules = [
  '@aws-sdk/credential-provider-http',
  '@aws-sdk/credential-provider-ini',
  '@aws-sdk/credential-provider-process',
  '@aws-sdk/credential-provider-sso',
  '@aws-sdk/credential-provider-web-identity',
  '@smithy/core/event-streams',
  '@smithy/credential-provider-imds',
]

/**
 * Creates esbuild's options for the file that Lambda loads. The AWS SDK is bundled: the copy in the runtime loads
 * slower, and changes without a deployment.
 *
 * @param entryPoint module that exports a `handler`: a path from the repository's root
 */
const createBuildOptions = (entryPoint: string) =>
  ({
    stdin: {
      contents: `export { handler } from './${entryPoint}'`,
      resolveDir: repositoryRoot,
    },
    absWorkingDir: repositoryRoot,
    bundle: true,
    external: unreachedModules,
    platform: 'node',
    target: 'node24',
    // CommonJS loads a little faster than ES modules.
    format: 'cjs',
    // The `main` of many packages is older code, from which esbuild cannot remove unused parts.
    mainFields: ['module', 'main'],
    minify: true,
    // The source map is not deployed, and the bundle does not name it: Lambda does not read it.
    sourcemap: 'external',
    sourcesContent: false,
    // `bundleModule` writes the file elsewhere. With this path, the source map has the repository's paths.
    outfile: join(repositoryRoot, 'index.js'),
    write: false,
    legalComments: 'none',
    charset: 'utf8',
    logLevel: 'warning',
    // Both mistakes would be `undefined` at run time: import.meta, which CommonJS does not have, and a name that an
    // empty module does not export.
    logOverride: { 'empty-import-meta': 'error', 'import-is-undefined': 'error' },
  }) satisfies BuildOptions

/**
 * Bundles one function into a folder that Lambda can load. The handler is `index.handler`.
 *
 *     const sourceMap = bundleFunction('get-pet', folder)
 *
 * @param name folder of `functions/`
 * @param outputDirectory existing or new folder
 * @returns the source map of the bundle, whose sources are paths from the repository's root
 * @throws UserError if the function is missing, if esbuild cannot bundle it and has printed why, or if esbuild does not
 *   run
 */
export const bundleFunction = (name: string, outputDirectory: string): string => {
  const entryPoint = `functions/${name}/index.ts`
  if (!existsSync(repositoryRoot + entryPoint))
    throw new UserError(`The function ${name} is missing: add ${entryPoint}.`)
  return bundleModule(entryPoint, outputDirectory)
}

/**
 * Bundles any module that exports a `handler`, like `bundleFunction`.
 *
 * @param entryPoint path of the module from the repository's root
 */
export const bundleModule = (entryPoint: string, outputDirectory: string): string => {
  const { outputFiles } = build(entryPoint)
  // esbuild always creates both files, so the text is never missing.
  const findOutput = (end: '.js' | '.map'): string => outputFiles.find(({ path }) => path.endsWith(end))?.text ?? ''
  mkdirSync(outputDirectory, { recursive: true })
  writeFileSync(join(outputDirectory, 'index.js'), findOutput('.js'))
  // Marks index.js as CommonJS. In a folder of this repository, whose package.json says `module`, Node would load it
  // as an ES module.
  writeFileSync(join(outputDirectory, 'package.json'), '{"type":"commonjs"}\n')
  return findOutput('.map')
}

const build = (entryPoint: string) => {
  try {
    return buildSync(createBuildOptions(entryPoint))
  } catch (cause) {
    // Only a mistake in the code has a list of errors, and esbuild has printed it.
    const isMistakeInCode = cause instanceof Error && 'errors' in cause
    if (isMistakeInCode) {
      throw new UserError(`esbuild cannot bundle ${entryPoint}. Correct what it says above.`, { cause })
    }
    const reason = cause instanceof Error ? cause.message.trim() : String(cause)
    throw new UserError(`esbuild does not run: ${reason}\nRun "npm ci" on this machine, and try again.`, { cause })
  }
}
