import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildSync } from 'esbuild'
import { repositoryRoot } from '../../../infra/bundling/function-bundle.ts'
import { shouldSkipWithout } from '../../fixtures/size.ts'

/** The commit of the last release. `PET_RELEASE` may name another one. */
const release =
  process.env['PET_RELEASE'] ?? readFileSync(join(repositoryRoot, '.github/release-commit'), 'utf8').trim()

const options = { cwd: repositoryRoot, maxBuffer: 100_000_000 }

/** Whether git has no such commit here. A copy without history, or a shallow clone, has few. */
export const isWithoutRelease = shouldSkipWithout(
  spawnSync('git', ['cat-file', '-e', `${release}^{commit}`], options).status === 0,
  `The sources do not meet the last release: git has no commit ${release} here. "git fetch --unshallow" fetches it.`,
)

/** A file as it was released. */
export const releasedFile = (path: string): string =>
  String(execFileSync('git', ['show', `${release}:${path}`], options))

/**
 * Bundles the functions of the last release, with the packages that are installed now.
 *
 * @returns the folder of each bundle, by its folder in `functions/`
 */
export const releasedBundles = (): ReadonlyMap<string, string> => {
  const folder = mkdtempSync(join(tmpdir(), 'pet-adoption-released-'))
  const sources = ['functions', 'shared', 'package.json', 'tsconfig.json']
  const input = execFileSync('git', ['archive', release, ...sources], options)
  execFileSync('tar', ['-x'], { cwd: folder, input })
  // Beside the package.json of the sources, which would make them ES modules.
  const outdir = `${folder}-bundles`
  const names = readdirSync(join(folder, 'functions'))
  const entries = names.filter((name) => existsSync(join(folder, 'functions', name, 'index.ts')))
  buildSync({
    ...{ absWorkingDir: folder, outdir, nodePaths: [join(repositoryRoot, 'node_modules')], logLevel: 'error' },
    ...{ bundle: true, platform: 'node', target: 'node24', format: 'cjs' },
    entryPoints: entries.map((name) => ({ in: `functions/${name}/index.ts`, out: `${name}/index` })),
  })
  return new Map(entries.map((name) => [name, join(outdir, name)]))
}
