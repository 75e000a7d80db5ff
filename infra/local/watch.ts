import { inspect } from 'node:util'
import { UserError } from '../command-line/user-error.ts'

interface WatchOptions {
  /** Fingerprint of the sources that are in use when the watch starts. */
  readonly initialFingerprint: string
  /** Writes the sources that are generated from others, such as the contract. */
  readonly generate: () => Promise<void>
  /** Puts the current sources into use. */
  readonly apply: () => Promise<void>
  readonly writeLine: (line: string) => void
  /** Computes the fingerprint of the current sources. */
  readonly readFingerprint: () => string
}

const pollMilliseconds = 200

/**
 * Applies each change of the sources. A change is complete when two polls in a row see the same sources: editors write
 * a file in several steps, and a checkout changes many files. The watch polls because Node's `fs.watch` loses a file
 * that another one replaces, and editors and git save by replacing files.
 *
 * @returns a function that ends the watch
 */
export const watchSources = (options: WatchOptions): (() => void) => {
  const { initialFingerprint, readFingerprint, generate, apply, writeLine } = options
  let lastTriedFingerprint = initialFingerprint
  let previousFingerprint = initialFingerprint
  let isApplying = false

  const applySources = async (): Promise<void> => {
    await generate()
    // The generated files are sources too.
    lastTriedFingerprint = readFingerprint()
    await apply()
  }

  const poll = async (): Promise<void> => {
    if (isApplying) return

    const fingerprint = readFingerprint()
    const isComplete = fingerprint === previousFingerprint
    previousFingerprint = fingerprint
    if (!isComplete || fingerprint === lastTriedFingerprint) return

    isApplying = true
    // A failed change is not tried again; the next change is.
    lastTriedFingerprint = fingerprint
    writeLine('[watch] The sources have changed: applying ...')
    const outcome = await applySources().then(() => 'The changed sources are in use.', describeFailure)
    writeLine(`[watch] ${outcome}`)
    isApplying = false
  }

  const timer = setInterval(poll, pollMilliseconds).unref()
  return () => clearInterval(timer)
}

const describeFailure = (error: unknown): string => {
  const problem = error instanceof UserError ? error.message : inspect(error)
  return `${problem}\n[watch] The sources from before the change are still in use.`
}
