import { globSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type BuildOptions, buildSync } from 'esbuild'
import { UserError } from '../command-line/user-error.ts'

export const repositoryRoot = fileURLToPath(new URL('../../', import.meta.url))

/**
 * Modules that the AWS SDK imports dynamically, and that a function never reaches: the credential providers after the
 * environment, where Lambda puts the credentials, and event streams, which no operation of DynamoDB has. esbuild would
 * wrap them, and all code that they share with others, in functions, which V8 takes longer to load.
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
 * The options for the file that Lambda loads. The AWS SDK is bundled: the copy of the runtime loads slower, and changes
 * without a deployment. CommonJS loads a little faster than ES modules.
 */
const options: BuildOptions = {
  absWorkingDir: repositoryRoot,
  bundle: true,
  external: unreachedModules,
  alias: {
    '@aws-sdk/middleware-endpoint-discovery': './infra/bundling/endpoint-discovery.ts',
    '@aws/lambda-invoke-store': './infra/bundling/invoke-store.ts',
  },
  platform: 'node',
  target: 'node24',
  format: 'cjs',
  // The `main` of many packages is older code, from which esbuild cannot remove unused parts.
  mainFields: ['module', 'main'],
  minify: true,
  sourcemap: false,
  legalComments: 'none',
  charset: 'utf8',
  logLevel: 'warning',
  // Both would be `undefined` at run time: import.meta, which CommonJS does not have, and what an empty module exports.
  logOverride: { 'empty-import-meta': 'error', 'import-is-undefined': 'error' },
}

/** @param entryPoint exports a `handler`; a path from the repository's root */
const optionsFor = (entryPoint: string) =>
  ({
    ...options,
    stdin: { contents: `export { handler } from './${entryPoint}'`, resolveDir: repositoryRoot },
  }) satisfies BuildOptions

/** The bytes of each module in a bundle, by its path from the repository's root. */
export type BundleContents = ReadonlyMap<string, number>

/** The folders of `functions/` that have an entry point. */
export const functionNames = (): readonly string[] =>
  globSync('*/index.ts', { cwd: join(repositoryRoot, 'functions') })
    .map(dirname)
    .sort()

/**
 * Writes the deployable bundle of one function, a folder that Lambda can load, with the
 * handler `index.handler`.
 *
 * @param name a folder of `functions/`
 * @param outputDirectory an existing or new folder
 * @throws UserError where there is no such function
 * @throws Error when esbuild cannot bundle it; it has printed why
 */
export const bundleFunction = (name: string, outputDirectory: string): BundleContents => {
  if (functionNames().includes(name)) return bundleModule(`functions/${name}/index.ts`, outputDirectory)
  throw new UserError(`The function ${name} is missing: add functions/${name}/index.ts.`)
}

/** A function's bundle as it would be written now, with its source map, whose paths are from the repository's root. */
export const sourceMapOf = (name: string): { readonly code: string; readonly sourceMap: string } => {
  const outfile = join(repositoryRoot, 'index.js')
  const entryPoint = `functions/${name}/index.ts`
  const { outputFiles } = buildSync({
    ...optionsFor(entryPoint),
    ...{ outfile, write: false, sourcemap: 'external', sourcesContent: false },
  })
  const textOf = (extension: string): string => outputFiles.find(({ path }) => path.endsWith(extension))?.text ?? ''
  return { code: textOf('.js'), sourceMap: textOf('.map') }
}

/** The same for any module that exports a `handler`, by its path from the repository's root. */
export const bundleModule = (entryPoint: string, outputDirectory: string): BundleContents => {
  const { metafile } = buildSync({
    ...optionsFor(entryPoint),
    outfile: join(outputDirectory, 'index.js'),
    metafile: true,
  })
  // In this repository, whose package.json says `module`, Node would load index.js as an ES module.
  writeFileSync(join(outputDirectory, 'package.json'), '{"type":"commonjs"}\n')
  const modules = Object.values(metafile.outputs).flatMap(({ inputs }) => Object.entries(inputs))
  return new Map(modules.map(([module, { bytesInOutput }]) => [module, bytesInOutput]))
}
