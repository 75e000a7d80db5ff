import { fileURLToPath } from 'node:url'
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config'
import { chooseBySize } from '../fixtures/machine/size.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** Time limit of tests that hang. Hooks deploy whole environments, which takes minutes on a busy machine. */
const timeoutMilliseconds = chooseBySize(600_000, 600_000, 4 * 3_600_000)

/**
 * Creates a project: test files that run at the same time, because they change different environments. A project begins
 * when all projects with a lower order have ended.
 */
const createProject = (name: string, files: readonly string[], groupOrder: number): TestProjectInlineConfiguration => ({
  root,
  test: {
    name,
    include: files.map((file) => `test/deployed/${file}.test.ts`),
    env: {
      PET_SEED: process.env['PET_SEED'] ?? '20261122',
    },
    setupFiles: 'test/setup.ts',
    deps: { interopDefault: false },
    sequence: { groupOrder },
    testTimeout: timeoutMilliseconds,
    hookTimeout: timeoutMilliseconds,
    expect: { poll: { timeout: timeoutMilliseconds } },
  },
})

/** Configuration of `npm run test:deployed`, which needs an emulator of AWS and takes minutes. */
export default defineConfig({
  root,
  test: {
    globalSetup: 'test/deployed/emulator/emulator.ts',
    // Most of these tests wait for other processes.
    maxWorkers: 3,
    projects: [
      // The smoke test changes staging, the tests of keys change production, and the diff changes nothing.
      createProject('environments', ['deployment', 'diff', 'facts', 'keys'], 0),
      createProject('guide', ['runbook'], 1),
      createProject('lifecycle', ['update-and-destroy'], 2),
    ],
  },
})
