import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { buildSync } from 'esbuild'
import { repositoryRoot } from '../../../infra/bundling/function-bundle.ts'

/** The commit of the last release. `PET_RELEASE` may name another one. */
export const release =
  process.env['PET_RELEASE'] ?? readFileSync(join(repositoryRoot, '.github/release-commit'), 'utf8').trim()

/** Whether git has a commit here. A copy without history, or a shallow clone, has few. */
export const hasCommit = (commit: string): boolean => {
  try {
    execFileSync('git', ['cat-file', '-e', `${commit}^{commit}`], { cwd: repositoryRoot, stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/** In continuous integration nothing is skipped unseen. */
export const skipsWithout = (commit: string): boolean => {
  if (hasCommit(commit)) return false
  const missing = `Git has no commit ${commit} here. Fetch the whole history: git fetch --unshallow.`
  if (process.env['CI'] === 'true') throw new Error(missing)
  console.log(`The tests of two versions that meet are skipped: ${missing}`)
  return true
}

/** Writes the sources of a commit that bundles are made of. */
export const checkOut = (commit: string, folder: string): void => {
  mkdirSync(folder, { recursive: true })
  const archive = execFileSync('git', ['archive', commit, 'functions', 'shared', 'package.json', 'tsconfig.json'], {
    cwd: repositoryRoot,
    maxBuffer: 100_000_000,
  })
  execFileSync('tar', ['-x'], { cwd: folder, input: archive })
}

/**
 * Bundles the functions of a commit, with the packages that are installed now.
 *
 * @returns the folder of each bundle, by its folder in `functions/`
 */
export const bundlesOf = (commit: string, folder: string): ReadonlyMap<string, string> => {
  const sources = join(folder, commit)
  checkOut(commit, sources)
  const names = readdirSync(join(sources, 'functions')).filter((name) =>
    existsSync(join(sources, 'functions', name, 'index.ts')),
  )
  return new Map(
    names.map((name) => {
      const bundle = join(folder, 'bundles', commit, name)
      buildSync({
        absWorkingDir: sources,
        entryPoints: [`functions/${name}/index.ts`],
        outfile: join(bundle, 'index.js'),
        bundle: true,
        platform: 'node',
        target: 'node24',
        format: 'cjs',
        nodePaths: [join(repositoryRoot, 'node_modules')],
        logLevel: 'error',
      })
      return [name, bundle]
    }),
  )
}
