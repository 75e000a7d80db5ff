/** By convention, the exit code of a process that Ctrl-C ended. */
export const interruptedCode = 130

/** Ctrl-C arrives twice: from the terminal, and again from npm, which passes it on. */
const echoMilliseconds = 500

/**
 * Aborts at the first signal that ends a process, so that the work can end in good order. A later signal ends the process
 * at once with an exit code; without one it does nothing.
 */
export const interruption = (exitCode?: number): AbortSignal => {
  const controller = new AbortController()
  let first: number | undefined
  const end = (): void => {
    first ??= performance.now()
    controller.abort()
    if (exitCode !== undefined && performance.now() - first > echoMilliseconds) process.exit(exitCode)
  }
  process.on('SIGINT', end).on('SIGTERM', end).on('SIGHUP', end)
  return controller.signal
}
