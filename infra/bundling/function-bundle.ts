import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type BuildOptions, buildSync } from 'esbuild'

const repositoryRoot = fileURLToPath(new URL('../../', import.meta.url))

/**
 * Where the AWS SDK looks for credentials after the environment, where Lambda puts them. It imports
 * these only when it gets there, so they are left out: a third of the bundle.
 */
const unreachedCredentialProviders = [
  '@aws-sdk/credential-provider-http',
  '@aws-sdk/credential-provider-ini',
  '@aws-sdk/credential-provider-process',
  '@aws-sdk/credential-provider-sso',
  '@aws-sdk/credential-provider-web-identity',
  '@smithy/credential-provider-imds',
]

/**
 * How each function becomes the file that Lambda loads. The AWS SDK is bundled: the runtime's own
 * copy loads slower, and changes without a deployment. CommonJS loads a little faster than ES modules.
 */
const options: BuildOptions = {
  absWorkingDir: repositoryRoot,
  bundle: true,
  external: unreachedCredentialProviders,
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

/**
 * Writes the deployable bundle of one function, a folder that Lambda can load as it is, with the
 * handler `index.handler`.
 *
 * @param name a folder of `functions/`
 * @param outputDirectory an existing or new folder
 * @throws Error when esbuild cannot bundle the function; it has printed why
 */
export const bundleFunction = (name: string, outputDirectory: string): void => {
  buildSync({
    ...options,
    entryPoints: [`functions/${name}/index.ts`],
    outfile: join(outputDirectory, 'index.js'),
  })
  // Below this repository, whose package.json says `module`, Node would take index.js for one.
  writeFileSync(join(outputDirectory, 'package.json'), '{"type":"commonjs"}\n')
}
