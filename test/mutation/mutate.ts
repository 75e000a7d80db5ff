/** `npm run mutate`: mutation tests of one target. */
import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { Argument } from '@commander-js/extra-typings'
import { createTool, runTool } from '../../infra/command-line/tool.ts'
import { getTarget, type TargetName, targetNames } from './targets.ts'

const scoresFile = fileURLToPath(new URL('scores.ts', import.meta.url))

/**
 * Mutates sources of a target, and prints which mutants survive and the scores.
 *
 * @param chosenSources patterns of the sources; empty for all of the target
 */
const mutate = async (name: TargetName, chosenSources: readonly string[]): Promise<void> => {
  const { sources, tests, setup, setupFiles, leastKilled, options } = getTarget(name)
  // vitest.config.ts reads the variables. Stryker starts its runners with those of this process.
  process.env['MUTATION_TESTS'] = JSON.stringify(tests)
  process.env['MUTATION_SETUP'] = JSON.stringify(setup)
  process.env['MUTATION_SETUP_FILES'] = JSON.stringify(setupFiles ?? [])

  const reportFile = `.build/mutation/${name}.json`
  // Imported here, because it takes longer to load than the help takes to print.
  const { Stryker } = await import('@stryker-mutator/core')
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
    // Two targets can be mutated side by side: neither copies the sandbox of the other, which comes and goes.
    ignorePatterns: ['.build/mutation'],
    tempDirName: `.build/mutation/sandbox-${name}`,
    // A part of a target may have another score.
    thresholds: { high: 95, low: leastKilled, break: chosenSources.length === 0 ? leastKilled : null },
    ...options,
  })
  await stryker.runMutationTest()
  execFileSync(process.execPath, [scoresFile, reportFile], { stdio: 'inherit' })
}

await runTool(
  createTool('npm run mutate --', 'Changes the sources in many small ways, and says which changes no test notices.')
    .addArgument(new Argument('<target>', 'what to mutate').choices(targetNames))
    .argument('[sources...]', 'patterns of the sources, such as infra/operations/pets/*.ts; all by default')
    .action(mutate),
)
