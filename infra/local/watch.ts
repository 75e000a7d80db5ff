import { inspect } from 'node:util'
import { UserError } from '../command-line/user-error.ts'

interface WatchOptions {
  /** Fingerprint of the code that is in use when the watch starts. */
  readonly initialFingerprint: string
  /** Writes the files that are generated from others, such as those of the contract. */
  readonly generate: () => Promise<void>
  /** Puts the current code into use. */
  readonly apply: () => Promise<void>
  readonly writeLine: (line: string) => void
  /** Computes the fingerprint of the current code. */
  readonly readFingerprint: () => string
}

const pollMilliseconds = 200

/**
 * Applies each change of the code. A change is complete when two polls in a row see the same code, because editors
 * write a file in several steps, and a checkout changes many files. The watch polls because Node's `fs.watch` loses a
 * file that another one replaces, and editors and git save by replacing files.
 *
 * @returns a function that ends the watch
 */
export const watchCode = (options: WatchOptions): (() => void) => {
  const { initialFingerprint, readFingerprint, generate, apply, writeLine } = options
  let lastTriedFingerprint = initialFingerprint
  let previousFingerprint = initialFingerprint
  let isApplying = false

  const applyCode = async (): Promise<void> => {
    await generate()
    // The generated files are code too.
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
    writeLine('[watch] The code has changed: applying ...')
    const outcome = await applyCode().then(() => 'The changed code is in use.', describeFailure)
    writeLine(`[watch] ${outcome}`)
    isApplying = false
  }

  const timer = setInterval(poll, pollMilliseconds).unref()
  return () => clearInterval(timer)
}

const describeFailure = (error: unknown): string => {
  const problem = error instanceof UserError ? error.message : inspect(error)
  return `${problem}\n[watch] The code from before the change is still in use.`
}
