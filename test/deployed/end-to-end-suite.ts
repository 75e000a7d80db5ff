import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { runNode } from './emulator/run.ts'

export interface TestOutcome {
  /** After the name of its group: `group > test`. */
  readonly name: string
  readonly status: string
  readonly failureMessages: readonly string[]
}

export interface SuiteOptions {
  readonly folder: string
  /** PET_API_URL and its kin, which aim the suite. */
  readonly variables: Readonly<Record<string, string>>
}

/** Runs the end-to-end suite in a process of its own, and tells what became of each test. */
export const runEndToEndSuite = async ({ folder, variables }: SuiteOptions): Promise<TestOutcome[]> => {
  const report = join(folder, 'end-to-end.json')
  const vitest = ['node_modules/vitest/vitest.mjs', 'run', '--config', 'test/vitest.config.ts', '--project', 'e2e']
  // An emulator starts a process for each request, and more of them at once only wait for each other.
  const options = ['--no-file-parallelism', '--reporter', 'json', '--outputFile', report]
  const { output, errors } = await runNode([...vitest, ...options], variables)
  try {
    const { testResults } = JSON.parse(readFileSync(report, 'utf8')) as JsonReport
    return testResults.flatMap(({ assertionResults }) =>
      assertionResults.map(({ ancestorTitles, title, status, failureMessages }) => ({
        name: [...ancestorTitles, title].join(' > '),
        status,
        failureMessages,
      })),
    )
  } catch (error) {
    throw new Error(`The end-to-end suite did not run:\n${(output + errors).slice(-4_000)}`, { cause: error })
  }
}

/** What vitest's JSON reporter writes: the parts of it that are read here. */
interface JsonReport {
  readonly testResults: readonly {
    readonly assertionResults: readonly {
      readonly ancestorTitles: readonly string[]
      readonly title: string
      readonly status: string
      readonly failureMessages: readonly string[]
    }[]
  }[]
}
