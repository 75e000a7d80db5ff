/** A copy of the repository, in which faults are tried one after the other. */
import { execFile, execFileSync } from 'node:child_process'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { exitCodes, UserError } from '../../infra/command-line/user-error.ts'
import type { KnownFault } from './known-faults/known-fault.ts'
import { repositoryRoot } from './known-faults/known-faults.ts'

/** The result of trying a fault. */
export interface Trial {
  /** `untried`: nothing can be seen, because the test file fails, or runs no test, without the fault too. */
  readonly outcome: 'noticed' | 'survived' | 'untried'
  /** Name of the test that has failed, or the reason why none has. */
  readonly detail: string
}

/** The part of vitest's JSON report that is read here. */
interface TestReport {
  readonly testResults: readonly {
    /** Path of the test file. */
    readonly name: string
    /** Reason why the file could not be loaded. */
    readonly message: string
    readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[]
  }[]
}

type TestResults = TestReport['testResults']

const contractFile = 'shared/contract/openapi.yaml'

/** Time after which a program is killed. */
const programMilliseconds = 600_000

/** Copies the files of the repository, with changes that are not committed, and links the packages. */
export const createFaultyCopy = () => {
  const folder = mkdtempSync(join(tmpdir(), 'pet-adoption-faults-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  process.once('SIGINT', () => process.exit(exitCodes.interruption))

  const listFiles = ['ls-files', '-z', '--cached', '--others', '--exclude-standard']
  for (const path of String(execFileSync('git', listFiles, { cwd: repositoryRoot })).split('\0')) {
    // Git also lists files that were deleted and not committed, and the list ends with an empty path.
    if (path === '' || !existsSync(join(repositoryRoot, path))) continue
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    copyFileSync(join(repositoryRoot, path), join(folder, path))
  }
  symlinkSync(join(repositoryRoot, 'node_modules'), join(folder, 'node_modules'))

  /** Runs a program of the copy. @returns its output, or an error with its output if it fails */
  const runProgram = (...words: readonly string[]): Promise<string | Error> => {
    // Each run with CI=true would draw another seed for the properties, and some seeds do not show a fault.
    const env = { ...process.env, CI: undefined, PET_SEED: process.env['PET_SEED'] ?? '20261122' }
    const options = {
      cwd: folder,
      env,
      timeout: programMilliseconds,
      killSignal: 'SIGKILL',
      maxBuffer: 2 ** 28,
    } as const
    const { promise, resolve } = Promise.withResolvers<string | Error>()
    execFile(process.execPath, ['infra/launch.cjs', ...words], options, (error, stdout, stderr) => {
      const output = stdout + stderr
      resolve(error === null ? output : new Error(output, { cause: error }))
    })
    return promise
  }

  /** Runs test files. @returns their results, or an error with the output of vitest if it runs none of them */
  const runTests = async (...words: readonly string[]): Promise<TestResults | UserError> => {
    const reportFile = join(folder, '.build/faults.json')
    rmSync(reportFile, { force: true })
    const vitest = ['node_modules/vitest/vitest.mjs', 'run', '--config', 'test/vitest.config.ts']
    const output = await runProgram(...vitest, '--reporter=json', `--outputFile=${reportFile}`, ...words)
    const report: TestReport = existsSync(reportFile)
      ? JSON.parse(readFileSync(reportFile, 'utf8'))
      : { testResults: [] }
    return report.testResults.length > 0 ? report.testResults : new UserError(`No test file was run: ${output}`)
  }

  /** Tries a fault, whose text the file has once: edits the file, runs the test file, and undoes the edit. */
  const tryFault = async ({ file, find, replaceBy, test }: KnownFault): Promise<Trial> => {
    const source = readFileSync(join(folder, file), 'utf8')
    const generate = async () => (file === contractFile ? runProgram('infra/contract/generate.ts') : '')
    // `join` inserts the replacement as it is. `replace` would interpret a `$` in it.
    writeFileSync(join(folder, file), source.split(find).join(replaceBy))
    try {
      const generated = await generate()
      if (generated instanceof Error)
        return { outcome: 'untried', detail: `nothing is generated: ${generated.message}` }
      const results = await runTests('--bail', '1', test)
      return results instanceof UserError ? { outcome: 'untried', detail: results.message } : judge(results)
    } finally {
      writeFileSync(join(folder, file), source)
      await generate()
    }
  }

  /** Runs test files without a fault. @returns for each file that can show no fault, why */
  const findUselessTests = async (tests: readonly string[]): Promise<ReadonlyMap<string, string>> => {
    const results = await runTests(...tests)
    if (results instanceof UserError) throw results
    const reasons = tests.map((test) => [test, explainUselessTest(results, join(folder, test))] as const)
    return new Map(reasons.flatMap(([test, reason]) => (reason === undefined ? [] : [[test, reason]])))
  }

  return { tryFault, findUselessTests }
}

/** A fault is noticed by a test that fails. A file that cannot be loaded shows a mistake in the list. */
const judge = (results: TestResults): Trial => {
  const failed = results.flatMap(({ assertionResults }) => assertionResults).find(({ status }) => status === 'failed')
  if (failed !== undefined) return { outcome: 'noticed', detail: failed.fullName }
  return { outcome: 'survived', detail: `no test fails. ${results.map(({ message }) => message).join(' ')}`.trim() }
}

const explainUselessTest = (results: TestResults, path: string): string | undefined => {
  const { assertionResults = [], message = '' } = results.find(({ name }) => name === path) ?? {}
  const failed = assertionResults.find(({ status }) => status === 'failed')
  if (failed !== undefined) return `without the fault this test fails too: ${failed.fullName}`
  const isRun = assertionResults.some(({ status }) => status === 'passed')
  return isRun ? undefined : `without the fault no test of the file runs. ${message}`.trim()
}
