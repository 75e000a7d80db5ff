import { inject, vi } from 'vitest'
import { runTool } from '../../../../infra/command-line/tool.ts'
import { writeEnvironmentFile } from '../../../../infra/operations/target/environment-file.ts'
import { createFreshTables } from '../../../fixtures/engines.ts'
import { createTemporaryFolder } from '../../../fixtures/temporary-folder.ts'

/** The data folder of a local environment that runs in this process, with fresh tables. */
export const runningHere = async () => {
  const [dynalite] = inject('engines')
  const engine = { name: 'dynalite', endpoint: dynalite?.endpoint ?? '' }
  const data = createTemporaryFolder()
  const tables = await createFreshTables(engine)
  const environment = { tables, baseUrl: '', databaseEndpoint: engine.endpoint }
  writeEnvironmentFile(data, { layout: 0, holder: { pid: process.pid, port: undefined }, environment })
  return { data, tables, engine, words: ['--env', 'local', '--data', data] }
}

/** Runs a command in this process. @returns what it has written, and its exit code */
export const captured = async (run: () => Promise<unknown>) => {
  const written = { output: '', errors: '' }
  const take = (name: keyof typeof written) =>
    ((text: string, done?: () => void) => {
      written[name] += text
      done?.()
      return true
    }) as typeof process.stdout.write
  const spies = [
    vi.spyOn(process.stdout, 'write').mockImplementation(take('output')),
    vi.spyOn(process.stderr, 'write').mockImplementation(take('errors')),
    vi.spyOn(console, 'error').mockImplementation((text: string) => void take('errors')(`${text}\n`)),
  ]
  try {
    await run()
    return { ...written, exitCode: process.exitCode ?? 0 }
  } finally {
    for (const spy of spies) spy.mockRestore()
    process.exitCode = undefined
  }
}

export const runHere = (tool: Parameters<typeof runTool>[0], line: readonly string[]) =>
  captured(() => runTool(tool, line))

/** Ends long work of this process in good order, as Ctrl-C does. */
export const interruptHere = (): void => {
  const [end] = process.listeners('SIGINT').slice(-1)
  process.emit('SIGINT')
  // It would go on to listen, for the echo of the signal.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) if (end !== undefined) process.off(signal, end)
}
