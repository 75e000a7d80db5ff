import { statSync } from 'node:fs'
import { inspect } from 'node:util'
import { UserError } from '../command-line/user-error.ts'

export interface Watch {
  /** The files to watch; read at each poll. */
  readonly files: () => readonly string[]
  readonly apply: () => Promise<void>
  readonly writeLine: (line: string) => void
}

const pollMilliseconds = 200

/**
 * Applies a change of the files once two polls see the same: editors write a file in several steps, and a checkout changes
 * many. It polls because Node's `fs.watch` loses a file that another one replaces, as editors and git save.
 *
 * @param applied the state of the files that are in use
 * @returns a function that ends the watch
 */
export const watchFiles = ({ files, apply, writeLine }: Watch, applied = stateOf(files)): (() => void) => {
  let inUse = applied
  let previous = applied
  let isApplying = false
  const timer = setInterval(async () => {
    if (isApplying) return
    const current = stateOf(files)
    if (current !== inUse && current === previous) {
      isApplying = true
      inUse = current
      writeLine(`[watch] ${await outcomeOf(apply)}`)
      isApplying = false
    }
    previous = current
  }, pollMilliseconds).unref()
  return () => clearInterval(timer)
}

const outcomeOf = async (apply: Watch['apply']): Promise<string> => {
  try {
    await apply()
    return 'The changed sources are in use.'
  } catch (error) {
    const problem = error instanceof UserError ? error.message : inspect(error)
    return `${problem}\n[watch] The sources from before the change are still in use.`
  }
}

/** A text that differs once a file was written, replaced, renamed, added or deleted. */
export const stateOf = (files: Watch['files']): string => {
  try {
    return files().map(stateOfFile).join('\n')
  } catch (error) {
    // A folder was deleted meanwhile.
    return String(error)
  }
}

const stateOfFile = (file: string): string => {
  const { ino, ctimeMs, size } = statSync(file, { throwIfNoEntry: false }) ?? {}
  return [file, ino, ctimeMs, size].join(' ')
}
