import { globSync, mkdirSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
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
  ...['http', 'ini', 'process', 'sso', 'web-identity'].map((name) => `@aws-sdk/credential-provider-${name}`),
  '@smithy/core/event-streams',
  '@smithy/credential-provider-imds',
]

const replacement = './infra/bundling/replaced-packages.ts'

/**
 * The options for the file that Lambda loads. The AWS SDK is bundled: the copy of the runtime loads slower, and changes
 * without a deployment. CommonJS loads a little faster than ES modules.
 *
 * @param entryPoint exports a `handler`; a path from the repository's root
 */
const optionsFor = (entryPoint: string) =>
  ({
    stdin: { contents: `export { handler } from './${entryPoint}'`, resolveDir: repositoryRoot },
    absWorkingDir: repositoryRoot,
    bundle: true,
    external: unreachedModules,
    alias: { '@aws-sdk/middleware-endpoint-discovery': replacement, '@aws/lambda-invoke-store': replacement },
    platform: 'node',
    target: 'node24',
    format: 'cjs',
    // The `main` of many packages is older code, from which esbuild cannot remove unused parts.
    mainFields: ['module', 'main'],
    minify: true,
    // Lambda does not read the map; the local environment names places in the sources by it, and whoever has a log can.
    sourcemap: 'linked',
    sourcesContent: false,
    // Not where it is written, so that the paths in the map are those of the repository on each machine.
    outfile: join(repositoryRoot, 'index.js'),
    write: false,
    legalComments: 'none',
    charset: 'utf8',
    logLevel: 'warning',
    // Both would be `undefined` at run time: import.meta, which CommonJS does not have, and what an empty module exports.
    logOverride: { 'empty-import-meta': 'error', 'import-is-undefined': 'error' },
  }) satisfies BuildOptions

const moduleOf = (name: string): string => `functions/${name}/index.ts`

/** The folders of `functions/` that have an entry point. */
export const functionNames = (): readonly string[] =>
  globSync(moduleOf('*'), { cwd: repositoryRoot })
    .map((module) => basename(dirname(module)))
    .sort()

/**
 * Writes the deployable bundle of one function, a folder that Lambda can load, with the
 * handler `index.handler`.
 *
 * @param name a folder of `functions/`
 * @param outputDirectory an existing or new folder
 * @throws UserError where there is no such function, or when esbuild cannot bundle it and has printed why
 */
export const bundleFunction = (name: string, outputDirectory: string): void => {
  if (!functionNames().includes(name)) throw new UserError(`The function ${name} is missing: add ${moduleOf(name)}.`)
  bundleModule(moduleOf(name), outputDirectory)
}

/** The same for any module that exports a `handler`, by its path from the repository's root. */
export const bundleModule = (entryPoint: string, outputDirectory: string): void => {
  try {
    const { outputFiles } = buildSync(optionsFor(entryPoint))
    mkdirSync(outputDirectory, { recursive: true })
    for (const { path, contents } of outputFiles) writeFileSync(join(outputDirectory, basename(path)), contents)
    // In this repository, whose package.json says `module`, Node would load index.js as an ES module.
    writeFileSync(join(outputDirectory, 'package.json'), '{"type":"commonjs"}\n')
  } catch (cause) {
    throw new UserError(`esbuild cannot bundle ${entryPoint}. Correct what it says above.`, { cause })
  }
}
