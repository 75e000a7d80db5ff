import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { printableLines } from '../../command-line/printable.ts'
import { UserError } from '../../command-line/user-error.ts'

export interface Tests {
  readonly only?: string | undefined
  readonly readOnly?: boolean | undefined
}

/** Runs the end-to-end tests in a process of its own, one file after the other. @throws where they did not run to their end */
export const runSuite = async (
  variables: NodeJS.ProcessEnv,
  { only, readOnly = false }: Tests,
  signal: AbortSignal,
) => {
  const folder = mkdtempSync(join(tmpdir(), 'pet-adoption-smoke-'))
  const report = join(folder, 'report.json')
  const words = [
    ...['node_modules/vitest/vitest.mjs', 'run', '--config', 'test/vitest.config.ts', '--project', 'e2e'],
    ...['--no-file-parallelism', '--reporter', 'default', '--reporter', 'json', '--outputFile.json', report],
    ...(only === undefined ? [] : ['--testNamePattern', only]),
  ]
  const suite = spawn(process.execPath, words, {
    cwd: fileURLToPath(new URL('../../..', import.meta.url)),
    // Its colours are escape sequences, like those that the name of a pet may hold.
    env: {
      ...{ ...process.env, ...variables, NO_COLOR: '1', FORCE_COLOR: undefined },
      ...(readOnly && { PET_API_READ_ONLY: '1' }),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  // A test that fails shows what callers have added to the API. Standard output is for the report.
  for (const stream of [suite.stdout, suite.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => process.stderr.write(printableLines(text)))
  }
  signal.addEventListener('abort', () => suite.kill())
  await once(suite, 'close')
  const text = existsSync(report) ? readFileSync(report, 'utf8') : undefined
  rmSync(folder, { recursive: true })
  signal.throwIfAborted()
  if (text === undefined) throw new UserError('The end-to-end tests did not run: see above.')
  const { numPassedTests, numFailedTests, numPendingTests } = JSON.parse(text)
  return { passed: Number(numPassedTests), failed: Number(numFailedTests), skipped: Number(numPendingTests) }
}
