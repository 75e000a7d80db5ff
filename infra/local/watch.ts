import { inspect } from 'node:util'
import { UserError } from '../command-line/user-error.ts'
import { assemblyFolder } from '../synthesis/synthesize.ts'

interface Watch {
  /** What `stateOf` gave for the sources that are in use. */
  readonly inUse: string
  /** Takes the sources as they are now into use. */
  readonly apply: () => Promise<void>
  readonly writeLine: (line: string) => void
  /** A text that is another one for other sources. @default where their cloud assembly belongs */
  readonly stateOf?: () => string
}

const pollMilliseconds = 200

/**
 * Applies a change of the sources once two polls see the same: editors write a file in several steps, and a checkout changes
 * many. It polls because Node's `fs.watch` loses a file that another one replaces, as editors and git save.
 *
 * @returns what ends the watch
 */
export const watchSources = ({ inUse, apply, writeLine, stateOf = assemblyFolder }: Watch) => {
  let applied = inUse
  let previous = inUse
  let isApplying = false
  const timer = setInterval(async () => {
    if (isApplying) return
    const current = stateOf()
    if (current !== applied && current === previous) {
      isApplying = true
      writeLine('[watch] The sources have changed: applying ...')
      writeLine(`[watch] ${await apply().then(() => 'The changed sources are in use.', problemOf)}`)
      applied = current
      isApplying = false
    }
    previous = current
  }, pollMilliseconds).unref()
  return () => clearInterval(timer)
}

const problemOf = (error: unknown): string =>
  `${error instanceof UserError ? error.message : inspect(error)}\n[watch] The sources from before the change are still in use.`
