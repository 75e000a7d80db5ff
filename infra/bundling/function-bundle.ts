import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type BuildOptions, buildSync } from 'esbuild'

const repositoryRoot = fileURLToPath(new URL('../../', import.meta.url))

/**
 * What the AWS SDK imports only when it gets there, and a function never does: where it looks for
 * credentials after the environment, in which Lambda puts them, and event streams, which no operation of
 * DynamoDB has. What a bundle holds of a module that is imported so late, esbuild wraps in functions with
 * all that the module shares with the rest, and V8 then takes longer to read the rest as well.
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
 * How each function becomes the file that Lambda loads. The AWS SDK is bundled: the runtime's own
 * copy loads slower, and changes without a deployment. CommonJS loads a little faster than ES modules.
 */
const options: BuildOptions = {
  absWorkingDir: repositoryRoot,
  bundle: true,
  external: unreachedModules,
  alias: { '@aws-sdk/middleware-endpoint-discovery': './infra/bundling/endpoint-discovery.ts' },
  platform: 'node',
  target: 'node24',
  format: 'cjs',
  // Many packages' `main` is older code that esbuild cannot shake.
  mainFields: ['module', 'main'],
  minify: true,
  sourcemap: false,
  legalComments: 'none',
  charset: 'utf8',
  logLevel: 'warning',
  // CommonJS has no import.meta; better no bundle than `undefined` at run time.
  logOverride: { 'empty-import-meta': 'error' },
}

/** The bytes that each module of a bundle, by its path from the repository's root, has left in it. */
export type BundleContents = ReadonlyMap<string, number>

/**
 * Writes the deployable bundle of one function, a folder that Lambda can load as it is, with the
 * handler `index.handler`.
 *
 * @param name a folder of `functions/`
 * @param outputDirectory an existing or new folder
 * @throws Error when esbuild cannot bundle the function; it has printed why
 */
export const bundleFunction = (name: string, outputDirectory: string): BundleContents =>
  bundleModule(`functions/${name}/index.ts`, outputDirectory)

/**
 * The same for any module that exports a `handler`, by its path from the repository's root.
 *
 * @param variation esbuild's options that differ from those of the deployable bundle, to measure what they make of it
 */
export const bundleModule = (
  entryPoint: string,
  outputDirectory: string,
  variation: BuildOptions = {},
): BundleContents => {
  const { metafile } = buildSync({
    ...options,
    ...variation,
    entryPoints: [entryPoint],
    outfile: join(outputDirectory, 'index.js'),
    metafile: true,
  })
  // Below this repository, whose package.json says `module`, Node would take index.js for one.
  const type = variation.format === 'esm' ? 'module' : 'commonjs'
  writeFileSync(join(outputDirectory, 'package.json'), `{"type":"${type}"}\n`)
  const modules = Object.values(metafile.outputs).flatMap(({ inputs }) => Object.entries(inputs))
  return new Map(modules.map(([module, { bytesInOutput }]) => [module, bytesInOutput]))
}
