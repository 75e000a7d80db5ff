import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { runNode } from './run.ts'

export interface TestOutcome {
  readonly fullName: string
  readonly status: string
  readonly failureMessages: readonly string[]
}

export interface SuiteOptions {
  readonly folder: string
  /** PET_API_URL and its kin, which aim the suite. */
  readonly variables: Readonly<Record<string, string>>
  /** Full names. */
  readonly except: readonly string[]
}

/** Runs the end-to-end suite in a process of its own, and tells what became of each test. */
export const runEndToEndSuite = async ({ folder, variables, except }: SuiteOptions): Promise<TestOutcome[]> => {
  const report = join(folder, 'end-to-end.json')
  const only = `^(?!.*(?:${except.map((name) => escaped(name)).join('|')}))`
  const vitest = ['node_modules/vitest/vitest.mjs', 'run', '--config', 'test/vitest.config.ts', '--project', 'e2e']
  const { output, errors } = await runNode(
    [...vitest, '--reporter', 'json', '--outputFile', report, ...(except.length === 0 ? [] : ['-t', only])],
    variables,
  )
  try {
    // What vitest's JSON reporter writes, of which these are the parts that are read here.
    const written = JSON.parse(readFileSync(report, 'utf8')) as { testResults: { assertionResults: TestOutcome[] }[] }
    return written.testResults.flatMap(({ assertionResults }) => assertionResults)
  } catch (error) {
    throw new Error(`The end-to-end suite did not run:\n${(output + errors).slice(-4_000)}`, { cause: error })
  }
}

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
