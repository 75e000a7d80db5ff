/** By convention, the exit code of a process that Ctrl-C ended. */
export const interruptedCode = 130

/** Ctrl-C arrives twice: from the terminal, and again from npm, which passes it on. */
const echoMilliseconds = 500

const controller = new AbortController()

let first: number | undefined

const end = (): void => {
  first ??= performance.now()
  controller.abort()
  if (performance.now() - first > echoMilliseconds) process.exit(interruptedCode)
}

/** Aborts at the first signal that ends a process, so that the work can end in good order. A later one ends it at once. */
export const interruption = (): AbortSignal => {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.off(signal, end).on(signal, end)
  return controller.signal
}
