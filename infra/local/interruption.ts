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
