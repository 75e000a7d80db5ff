/** `npm test`. Run one project by its name: `npm test -- --project e2e`. */
import { mkdtempSync, rmSync } from 'node:fs'
import { enableCompileCache } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config'
import { collectSkipReasons } from './fixtures/machine/size.ts'

const root = fileURLToPath(new URL('..', import.meta.url))

// Workers, and the processes that they start, compile a module once (Node.js documentation, "Module compile cache").
process.env['NODE_COMPILE_CACHE'] ??= join(root, '.build/compile-cache')
enableCompileCache()

// All tests, and the processes that they start, use one temporary folder, which is removed at the end of the run.
const temporaryFolder = mkdtempSync(join(tmpdir(), 'pet-adoption-tests-'))
process.env['TMPDIR'] = temporaryFolder
process.once('exit', () => rmSync(temporaryFolder, { recursive: true, force: true, maxRetries: 5 }))

const isContinuousIntegration = process.env['CI'] !== undefined

/**
 * Chooses the seed of all properties. `npm test` always uses the same seed. With `CI` set, as in the nightly run,
 * it draws one, unless `PET_SEED` sets it, as `.ci/run` does. If a seed finds a fault, write the case that it found
 * as a test of its own.
 */
const chooseSeed = (): string => {
  const seed = isContinuousIntegration ? Date.now() % 2 ** 31 : 20_261_122
  return process.env['PET_SEED'] ?? String(seed)
}

const seed = chooseSeed()
if (isContinuousIntegration) {
  console.log(`The seed of the properties is ${seed}. PET_SEED=${seed} repeats them.`)
}

/** Time limit of tests that hang. No test fails because it is slow. */
const timeoutMilliseconds = 300_000

type ProjectOptions = NonNullable<TestProjectInlineConfiguration['test']>

/** Creates a project: the tests of one folder, which can be run by their name. */
const createProject = (name: string, folder: string, options: ProjectOptions = {}): TestProjectInlineConfiguration => ({
  extends: true,
  test: {
    name,
    include: [`test/${folder}/**/*.test.ts`],
    env: {
      PET_SEED: seed,
      // The CDK's own checks of templates take longer than the rest of a synth. cfn-lint makes them in one test.
      CDK_VALIDATION: 'false',
    },
    setupFiles: 'test/setup.ts',
    // A message says the whole value. By default vitest shortens an array of faults to their number.
    chaiConfig: { truncateThreshold: 10_000 },
    testTimeout: timeoutMilliseconds,
    hookTimeout: timeoutMilliseconds,
    expect: { poll: { timeout: timeoutMilliseconds } },
    // Files of a worker share its modules, which take longer to load than most tests to run.
    isolate: false,
    restoreMocks: true,
    unstubEnvs: true,
    unstubGlobals: true,
    ...options,
  },
})

const sharedAssembly = 'test/fixtures/environment/local-environment.ts'

const projects = [
  createProject('unit', '{unit,events}', {
    exclude: ['test/unit/infra/reference/**'],
    globalSetup: 'test/fixtures/database/start-engines.ts',
  }),
  createProject('reference', 'unit/infra/reference', {
    globalSetup: [sharedAssembly, 'test/unit/infra/reference/start.ts'],
  }),
  createProject('promises', 'promises', {
    exclude: ['test/promises/changes/**'],
    globalSetup: sharedAssembly,
  }),
  createProject('e2e', 'e2e', {
    globalSetup: [sharedAssembly, 'test/e2e/setup/local-environment.ts'],
  }),
  createProject('simulation', 'simulation', { globalSetup: sharedAssembly }),
  // These start when the other projects have ended.
  createProject('sam', 'sam', { sequence: { groupOrder: 1 } }),
  createProject('generators', 'generators', { globalSetup: sharedAssembly, sequence: { groupOrder: 1 } }),
  createProject('changes', 'promises/changes', { sequence: { groupOrder: 1 } }),
]

export default defineConfig({
  root,
  test: {
    // Modules are imported as Node.js imports them, so that the tests run the same code as the service.
    deps: { interopDefault: false },
    // Many tests wait for other processes, so three workers keep two processors busy.
    maxWorkers: 3,
    onConsoleLog: collectSkipReasons,
    projects,
  },
})
