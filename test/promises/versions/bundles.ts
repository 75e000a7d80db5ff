import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { buildSync } from 'esbuild'
import { repositoryRoot } from '../../../infra/bundling/function-bundle.ts'
import { skipsWithout } from '../../fixtures/size.ts'

/** The commit of the last release. `PET_RELEASE` may name another one. */
export const release =
  process.env['PET_RELEASE'] ?? readFileSync(join(repositoryRoot, '.github/release-commit'), 'utf8').trim()

/** Whether git has no such commit here. A copy without history, or a shallow clone, has few. */
export const isWithoutRelease = skipsWithout(
  spawnSync('git', ['cat-file', '-e', `${release}^{commit}`], { cwd: repositoryRoot }).status === 0,
  `The sources do not meet the last release: git has no commit ${release} here. "git fetch --unshallow" fetches it.`,
)

const sources = ['functions', 'shared', 'package.json', 'tsconfig.json']

/** Bundles the functions of the last release, with the packages that are installed now. @param folder an empty one */
export const releasedBundles = (folder: string): ReadonlyMap<string, string> => {
  mkdirSync(folder)
  const options = { cwd: repositoryRoot, maxBuffer: 100_000_000 }
  const archive = execFileSync('git', ['archive', release, ...sources], options)
  execFileSync('tar', ['-x'], { cwd: folder, input: archive })
  return bundle(folder)
}

/** Bundles the functions of the sources, of which one file is changed. @param folder an empty one */
export const changedBundles = (folder: string, file: string, change: (text: string) => string) => {
  for (const source of sources) cpSync(join(repositoryRoot, source), join(folder, source), { recursive: true })
  const text = readFileSync(join(folder, file), 'utf8')
  if (change(text) === text) throw new Error(`The change leaves ${file} as it is.`)
  writeFileSync(join(folder, file), change(text))
  return bundle(folder)
}

/** @returns the folder of each bundle, by its folder in `functions/` */
const bundle = (folder: string): ReadonlyMap<string, string> => {
  // Beside the package.json of the sources, which would make them ES modules.
  const outdir = `${folder}-bundles`
  const names = readdirSync(join(folder, 'functions'))
  const entries = names.filter((name) => existsSync(join(folder, 'functions', name, 'index.ts')))
  buildSync({
    absWorkingDir: folder,
    entryPoints: entries.map((name) => ({ in: `functions/${name}/index.ts`, out: `${name}/index` })),
    outdir,
    bundle: true,
    platform: 'node',
    target: 'node24',
    format: 'cjs',
    nodePaths: [join(repositoryRoot, 'node_modules')],
    logLevel: 'error',
  })
  return new Map(entries.map((name) => [name, join(outdir, name)]))
}
