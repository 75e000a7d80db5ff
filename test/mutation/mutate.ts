/** `npm run mutate`: mutation tests of one part of the sources. */
import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { Stryker } from '@stryker-mutator/core'
import { getTarget, targetNames } from './targets.ts'

const name = targetNames.find((target) => target === process.argv[2])
if (name === undefined) {
  console.error(`Name what to mutate: npm run mutate -- ${targetNames.join('|')} [files]`)
  process.exit(2)
}

/** Sources that are mutated in place of all of the target. */
const chosenSources = process.argv.slice(3)
const { sources, tests, setup, options } = getTarget(name)
// vitest.config.ts reads the variables. Stryker starts its runners with those of this process.
process.env['MUTATION_TESTS'] = JSON.stringify(tests)
process.env['MUTATION_SETUP'] = JSON.stringify(setup)

const reportFile = `.build/mutation/${name}.json`
const stryker = new Stryker({
  mutate: [...(chosenSources.length > 0 ? chosenSources : sources)],
  testRunner: 'vitest',
  vitest: { configFile: 'test/mutation/vitest.config.ts', related: false },
  plugins: ['@stryker-mutator/vitest-runner'],
  coverageAnalysis: 'perTest',
  concurrency: 1,
  timeoutMS: 20_000,
  reporters: ['progress-append-only', 'clear-text', 'json'],
  clearTextReporter: { allowColor: false, reportTests: false },
  jsonReporter: { fileName: reportFile },
  tempDirName: `.build/mutation/sandbox-${name}`,
  thresholds: { high: 95, low: 91, break: null },
  ...options,
})
await stryker.runMutationTest()

const scores = fileURLToPath(new URL('scores.ts', import.meta.url))
execFileSync(process.execPath, [scores, reportFile], { stdio: 'inherit' })
