/**
 * Configuration of `npm run mutate`: mutation tests of the code that must not lose a pet or a count.
 *
 * Stryker is a package of this folder, which only that command installs. So the options have no type, and Stryker
 * itself refuses wrong ones when it starts.
 */

/** Percentage of killed mutants below which a run fails. test/README.md has the last score. */
const leastKilled = 91

const options = {
  mutate: ['shared/{rate-limit,idempotency,pets}/**/*.ts'],
  testRunner: 'vitest',
  // Processes, as in `npm test`: a thread has a larger stack, on which deeper JSON is valid.
  vitest: { configFile: 'test/mutation/vitest.config.ts', related: false, pool: 'forks' },
  plugins: ['@stryker-mutator/vitest-runner'],
  coverageAnalysis: 'perTest',
  concurrency: 2,
  timeoutMS: 20_000,
  reporters: ['progress-append-only', 'clear-text'],
  clearTextReporter: { allowColor: false, reportTests: false },
  tempDirName: '.build/mutation',
  thresholds: { high: 95, low: leastKilled, break: leastKilled },
}

export default options
