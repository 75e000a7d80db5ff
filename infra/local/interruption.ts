import { exitCodes } from '../command-line/user-error.ts'

/**
 * Time in which a second signal is an echo: npm passes on a Ctrl-C that the terminal has sent to the process as well.
 */
const echoMilliseconds = 500

/**
 * Calls a function at the first signal that asks this process to end, so that it can end in good order. A later signal
 * ends the process at once.
 *
 * @example endAtInterruption(() => server.close())
 */
export const endAtInterruption = (end: () => unknown): void => {
  let firstSignalTime: number | undefined
  const handleSignal = (): void => {
    if (firstSignalTime === undefined) {
      firstSignalTime = performance.now()
      end()
    } else if (performance.now() - firstSignalTime > echoMilliseconds) {
      process.exit(exitCodes.interruption)
    }
  }
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(name, handleSignal)
}
