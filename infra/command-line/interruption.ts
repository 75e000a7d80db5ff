import { exitCodes } from './user-error.ts'

/**
 * Lets Ctrl-C end the process at once, until the result is disposed of. Every command can be killed anywhere and run
 * again, so nothing else has to be done.
 *
 * @example using _interruption = endAtInterruption()
 */
export const endAtInterruption = (): Disposable => {
  const end = (): void => {
    console.error('Interrupted. Run the same command again.')
    process.exit(exitCodes.interruption)
  }
  process.on('SIGINT', end)
  return { [Symbol.dispose]: () => process.off('SIGINT', end) }
}
