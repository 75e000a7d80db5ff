/**
 * `npm test`. The variable `TEST_SIZE` says how much runs: `small` (the default), `full` or `nightly`. Run one project
 * by its name: `npm test -- --project e2e`.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { enableCompileCache } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config'
import { chooseBySize, collectSkipReasons } from './fixtures/machine/size.ts'

const root = fileURLToPath(new URL('..', import.meta.url))

// Workers, and the processes that they start, compile a module once (Node.js documentation, "Module compile cache").
process.env['NODE_COMPILE_CACHE'] ??= join(root, '.build/compile-cache')
enableCompileCache()

// All tests, and the processes that they start, use one temporary folder, which is removed at the end of the run.
const temporaryFolder = mkdtempSync(join(tmpdir(), 'pet-adoption-tests-'))
process.env['TMPDIR'] = temporaryFolder
process.once('exit', () => rmSync(temporaryFolder, { recursive: true, force: true, maxRetries: 5 }))

/**
 * The seed of all properties: always the same, so that a change fails for its own reasons alone. The nightly workflow
 * sets another one each night. If it finds a fault, write the case that it found as a test of its own.
 */
const seed = process.env['PET_SEED'] ?? '20261122'

/** Time limit of tests that hang: a minute, and more for larger properties. No test fails because it is slow. */
const timeoutMilliseconds = chooseBySize(60_000, 300_000, 4 * 3_600_000)

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
    // A message says the whole value. By default vitest shortens an array of faults to their number, and a title.
    chaiConfig: { truncateThreshold: 10_000 },
    taskTitleValueFormatTruncate: 0,
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

/** The projects of `npm test`. Each one has servers of its own, which start only if one of its files runs. */
const fast = [
  createProject('fast', 'unit', {
    exclude: ['test/unit/infra/reference/**'],
    globalSetup: 'test/fixtures/database/engines.ts',
  }),
  createProject('reference', 'unit/infra/reference', {
    globalSetup: [sharedAssembly, 'test/fixtures/reference/start-reference.ts'],
  }),
  createProject('e2e', 'e2e', {
    globalSetup: [sharedAssembly, 'test/e2e/setup.ts'],
  }),
]

/** Tests that cross processes. `.ci/run` runs them. */
const system = createProject('system', 'promises', { globalSetup: sharedAssembly })

/** Tests of containers and of generated clients. They start when the other projects have ended. */
const nights = createProject('nights', '{sam,generators}', {
  globalSetup: sharedAssembly,
  sequence: { groupOrder: 1 },
})

export default defineConfig({
  root,
  test: {
    // Modules are imported as Node.js imports them, so that the tests run the same code as the service.
    deps: { interopDefault: false },
    // Many tests wait for other processes, so three workers keep two processors busy.
    maxWorkers: 3,
    onConsoleLog: collectSkipReasons,
    projects: chooseBySize(fast, [...fast, system], [...fast, system, nights]),
  },
})
