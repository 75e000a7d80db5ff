/** Running the end-to-end tests in another process. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makeLinesPrintable } from '../../command-line/printable.ts'
import { repositoryRoot } from '../../command-line/repository-root.ts'
import { UserError } from '../../command-line/user-error.ts'

/** Numbers of tests by their outcome. */
interface TestCounts {
  readonly passed: number
  readonly failed: number
  readonly skipped: number
}

/**
 * Lists the arguments of Node.js that run the end-to-end tests, one file after the other, and write a report in JSON.
 * The tour of the README is left out: it tests a document, and leaves keys and pets.
 */
const listSuiteArguments = (reportFile: string, namePattern: string | undefined): readonly string[] => {
  const words = ['node_modules/vitest/vitest.mjs', 'run', '--config', 'test/vitest.config.ts', '--project', 'e2e']
  words.push('--exclude', 'test/e2e/readme-tour.test.ts')
  words.push('--no-file-parallelism')
  words.push('--reporter', 'default')
  words.push('--reporter', 'json', '--outputFile.json', reportFile)
  if (namePattern !== undefined) words.push('--testNamePattern', namePattern)
  return words
}

/**
 * Runs the end-to-end tests. Their output goes to standard error: standard output is for the report.
 *
 * @param variables environment variables for the tests
 * @param namePattern regular expression for the names of the tests to run; undefined for all
 * @throws UserError if the tests did not run to their end
 */
export const runSuite = async (variables: NodeJS.ProcessEnv, namePattern: string | undefined): Promise<TestCounts> => {
  const folder = mkdtempSync(join(tmpdir(), 'pet-adoption-smoke-'))
  const reportFile = join(folder, 'report.json')

  const suite = spawn(process.execPath, listSuiteArguments(reportFile, namePattern), {
    cwd: repositoryRoot,
    // No colours: makeLinesPrintable would show their escape sequences as text.
    env: { ...process.env, ...variables, NO_COLOR: '1', FORCE_COLOR: undefined },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  // A command that is interrupted exits at once.
  process.once('exit', () => suite.kill())
  for (const stream of [suite.stdout, suite.stderr]) {
    // The output of a failed test may hold what callers have added to the API, so it is made printable.
    stream.setEncoding('utf8').on('data', (text: string) => {
      // The file is removed at the end, so its name helps nobody.
      process.stderr.write(makeLinesPrintable(text.replace(`JSON report written to ${reportFile}\n`, '')))
    })
  }
  await once(suite, 'close')

  const report = existsSync(reportFile) ? readFileSync(reportFile, 'utf8') : undefined
  rmSync(folder, { recursive: true })
  if (report === undefined) throw new UserError('The end-to-end tests did not run: see above.')

  const { numPassedTests, numFailedTests, numPendingTests } = JSON.parse(report)
  return {
    passed: Number(numPassedTests),
    failed: Number(numFailedTests),
    skipped: Number(numPendingTests),
  }
}
