import { exitCodes } from './user-error.ts'

/**
 * Lets Ctrl-C end the process at once, until the returned object is disposed of. Every command can be killed anywhere
 * and run again, so nothing else has to be done.
 *
 * @example using _interruption = exitAtInterruption()
 */
export const exitAtInterruption = (): Disposable => {
  const exit = (): void => {
    console.error('Interrupted. Run the same command again.')
    process.exit(exitCodes.interruption)
  }
  process.on('SIGINT', exit)
  return { [Symbol.dispose]: () => process.off('SIGINT', exit) }
}

/**
 * Calls a function at the first signal that asks this process to end, so that it can end in good order. Later signals
 * are ignored: npm passes on a Ctrl-C that the terminal has sent to the process as well.
 *
 * @example endAtInterruption(() => server.close())
 */
export const endAtInterruption = (end: () => unknown): void => {
  let isEnding = false
  const handleSignal = (): void => {
    if (isEnding) return
    isEnding = true
    end()
  }
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(name, handleSignal)
}
