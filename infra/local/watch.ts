import { globSync, statSync } from 'node:fs'
import { inspect } from 'node:util'
import { UserError } from '../command-line/user-error.ts'
import { sourceFiles } from '../synthesis/synthesize.ts'

interface Watch {
  /** Takes the sources as they are now into use. */
  readonly apply: () => Promise<void>
  readonly writeLine: (line: string) => void
  /** @default those of the service */
  readonly sources?: Sources
}

/** Some are in both lists. */
interface Sources {
  /** Those that can be applied. */
  readonly applied: () => readonly string[]
  /** Those that this process has loaded itself. */
  readonly loaded: () => readonly string[]
}

const ownSources: Sources = {
  applied: sourceFiles,
  // The gateway, and the limits of the demo keys.
  loaded: () => globSync(['infra/{command-line,local,operations,synthesis}/**/*.ts', 'shared/api-keys/plans.ts']),
}

const pollMilliseconds = 200

/**
 * Applies a change of the files once two polls see the same: editors write a file in several steps, and a checkout changes
 * many. It polls because Node's `fs.watch` loses a file that another one replaces, as editors and git save.
 *
 * @param state of the files that are in use
 * @returns what ends the watch
 */
export const watchSources = ({ apply, writeLine, sources = ownSources }: Watch, state = stateOf(sources)) => {
  let inUse = state
  let previous = state
  let isApplying = false
  const timer = setInterval(async () => {
    if (isApplying) return
    const current = stateOf(sources)
    const changed = differences(inUse, current)
    if (changed.length > 0 && differences(previous, current).length === 0) {
      isApplying = true
      const loaded = sources.loaded().filter((file) => changed.includes(file))
      const applied = changed.filter((file) => !loaded.includes(file) || sources.applied().includes(file))
      if (applied.length > 0) {
        writeLine(`[watch] ${listed(applied)} changed: applying ...`)
        writeLine(`[watch] ${await apply().then(() => 'The changed sources are in use.', problemOf)}`)
      }
      if (loaded.length > 0) writeLine(`[watch] Restart "npm start" to use ${listed(loaded)}.`)
      inUse = current
      isApplying = false
    }
    previous = current
  }, pollMilliseconds).unref()
  return () => clearInterval(timer)
}

const listed = (files: readonly string[]): string =>
  files.length > 3 ? `${files.slice(0, 3).join(', ')} and ${files.length - 3} more` : files.join(', ')

const problemOf = (error: unknown): string =>
  `${error instanceof UserError ? error.message : inspect(error)}\n[watch] The sources from before the change are still in use.`

/** A text for each file that differs once the file was written, replaced or added. */
export const stateOf = ({ applied, loaded }: Sources = ownSources): ReadonlyMap<string, string> =>
  new Map(
    [...applied(), ...loaded()].map((file) => {
      const { ino, ctimeMs, size } = statSync(file, { throwIfNoEntry: false }) ?? {}
      return [file, [ino, ctimeMs, size].join(' ')]
    }),
  )

const differences = (one: ReadonlyMap<string, string>, other: ReadonlyMap<string, string>): readonly string[] =>
  [...new Set([...one.keys(), ...other.keys()])].filter((file) => one.get(file) !== other.get(file))
