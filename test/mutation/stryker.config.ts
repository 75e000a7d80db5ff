/**
 * Configuration of `npm run mutate`: mutation tests of `shared` and `functions`. Other parts have known faults alone
 * (`npm run faults`).
 */
import type { PartialStrykerOptions } from '@stryker-mutator/api/core'

/** Percentage of killed mutants below which a run fails. survivors.md has the counts. */
const leastKilled = 91

const options: PartialStrykerOptions = {
  mutate: ['{shared,functions}/**/*.ts', '!shared/contract/generated/**'],
  testRunner: 'vitest',
  // Processes, as in `npm test`: a thread has a larger stack, on which deeper JSON is valid.
  vitest: { configFile: 'test/mutation/vitest.config.ts', related: false, pool: 'forks' },
  plugins: ['@stryker-mutator/vitest-runner'],
  coverageAnalysis: 'perTest',
  concurrency: 1,
  timeoutMS: 20_000,
  reporters: ['progress-append-only', 'clear-text'],
  clearTextReporter: { allowColor: false, reportTests: false },
  tempDirName: '.build/mutation',
  thresholds: { high: 95, low: leastKilled, break: leastKilled },
}

export default options
