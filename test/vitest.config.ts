import { mkdtempSync, rmSync } from 'node:fs'
import { enableCompileCache } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config'
import { collectSkipReasons } from './fixtures/size.ts'

const root = fileURLToPath(new URL('..', import.meta.url))

// Workers, and the processes that they start, compile a module once ("Module compile cache" in the documentation of Node.js).
process.env['NODE_COMPILE_CACHE'] ??= join(root, '.build/compile-cache')
enableCompileCache()

// The one temporary folder of all tests and of the processes that they start. It goes with them.
const scratch = mkdtempSync(join(tmpdir(), 'pet-adoption-tests-'))
process.env['TMPDIR'] = scratch
process.once('exit', () => rmSync(scratch, { recursive: true, force: true, maxRetries: 5 }))

/** The same in every `npm test`, and another in continuous integration unless it names one. A seed that finds something becomes a fixed case. */
const seed = process.env['PET_SEED'] ?? String(process.env['CI'] === undefined ? 20_261_122 : Date.now() % 2 ** 31)
if (process.env['CI'] !== undefined)
  console.log(`The seed of the properties is ${seed}. PET_SEED=${seed} repeats them.`)

type ProjectOptions = NonNullable<TestProjectInlineConfiguration['test']>

/** A part of the tests that can be run by its name: `npm test -- --project local`. */
const project = (name: string, folder: string, options: ProjectOptions = {}): TestProjectInlineConfiguration => ({
  extends: true,
  test: {
    name,
    include: [`test/${folder}/**/*.test.ts`],
    // The CDK's own checks of templates take longer than all the rest of a synth. cfn-lint makes them once.
    env: { PET_SEED: seed, CDK_VALIDATION: 'false' },
    setupFiles: 'test/setup.ts',
    testTimeout: hanging,
    hookTimeout: hanging,
    expect: { poll: { timeout: hanging } },
    // Files share the modules of their worker, which take longer to load than most tests to run.
    isolate: false,
    ...options,
  },
})

/** Milliseconds. Time limits end what hangs; none is for slowness. */
const hanging = 300_000

const sharedAssembly = 'test/fixtures/local-environment.ts'

const projects = [
  project('unit', '{unit,events}', {
    exclude: ['test/unit/infra/reference/**'],
    globalSetup: 'test/fixtures/start-engines.ts',
  }),
  project('reference', 'unit/infra/reference', {
    globalSetup: [sharedAssembly, 'test/unit/infra/reference/start.ts'],
  }),
  project('promises', 'promises', { exclude: ['test/promises/changes/**'], globalSetup: sharedAssembly }),
  project('e2e', 'e2e', { globalSetup: [sharedAssembly, 'test/e2e/setup/local-environment.ts'] }),
  project('sam', 'sam', { sequence: { groupOrder: 1 } }),
  project('changes', 'promises/changes', { sequence: { groupOrder: 1 } }),
]

export default defineConfig({
  root,
  test: {
    // Modules are imported as Node imports them, so that what is tested is what runs.
    deps: { interopDefault: false },
    // Many tests wait for other processes: three keep two processors busy.
    maxWorkers: 3,
    onConsoleLog: collectSkipReasons,
    projects,
  },
})
