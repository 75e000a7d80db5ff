import { statSync } from 'node:fs'
import { inspect } from 'node:util'
import { UserError } from '../command-line/user-error.ts'
import { sourceFiles } from '../synthesis/synthesize.ts'

interface Watch {
  /** Takes the sources as they are now into use. */
  readonly apply: () => Promise<void>
  readonly writeLine: (line: string) => void
  /** @default those that templates and bundles are made of */
  readonly sources?: () => readonly string[]
}

const pollMilliseconds = 200

/**
 * Applies a change of the files once two polls see the same: editors write a file in several steps, and a checkout changes
 * many. It polls because Node's `fs.watch` loses a file that another one replaces, as editors and git save.
 *
 * @param state of the files that are in use
 * @returns what ends the watch
 */
export const watchSources = ({ apply, writeLine, sources = sourceFiles }: Watch, state = stateOf(sources)) => {
  let inUse = state
  let previous = state
  let isApplying = false
  const timer = setInterval(async () => {
    if (isApplying) return
    const current = stateOf(sources)
    const changed = differences(inUse, current)
    if (changed.length > 0 && differences(previous, current).length === 0) {
      isApplying = true
      const others = changed.length > 3 ? ` and ${changed.length - 3} more` : ''
      writeLine(`[watch] ${changed.slice(0, 3).join(', ')}${others} changed: applying ...`)
      writeLine(`[watch] ${await apply().then(() => 'The changed sources are in use.', problemOf)}`)
      inUse = current
      isApplying = false
    }
    previous = current
  }, pollMilliseconds).unref()
  return () => clearInterval(timer)
}

const problemOf = (error: unknown): string =>
  `${error instanceof UserError ? error.message : inspect(error)}\n[watch] The sources from before the change are still in use.`

/** A text for each file that differs once the file was written, replaced or added. */
export const stateOf = (sources = sourceFiles): ReadonlyMap<string, string> =>
  new Map(
    sources().map((file) => {
      const { ino, ctimeMs, size } = statSync(file, { throwIfNoEntry: false }) ?? {}
      return [file, [ino, ctimeMs, size].join(' ')]
    }),
  )

const differences = (one: ReadonlyMap<string, string>, other: ReadonlyMap<string, string>): readonly string[] =>
  [...new Set([...one.keys(), ...other.keys()])].filter((file) => one.get(file) !== other.get(file))
