import { fileURLToPath } from 'node:url'
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config'

const root = fileURLToPath(new URL('..', import.meta.url))

type ProjectOptions = NonNullable<TestProjectInlineConfiguration['test']>

const project = (name: string, options: ProjectOptions = {}): TestProjectInlineConfiguration => ({
  extends: true,
  test: { name, include: [`test/${name}/**/*.test.ts`], ...options },
})

const slow = { testTimeout: 30_000, hookTimeout: 60_000 }

export default defineConfig({
  root,
  test: {
    // Modules are imported as Node imports them, so that what is tested is what runs.
    deps: { interopDefault: false },
    maxWorkers: 2,
    projects: [
      project('unit'),
      project('infra', slow),
      project('local', slow),
      project('keys', slow),
      project('seed', slow),
      project('cost', slow),
      project('reference', { ...slow, testTimeout: 120_000, globalSetup: 'test/reference/start.ts' }),
      project('clients', slow),
      project('faults', { ...slow, globalSetup: 'test/faults/synthesize-once.ts' }),
      project('hostile', slow),
      project('crash', { testTimeout: 300_000, hookTimeout: 60_000 }),
      project('secrets', { testTimeout: 300_000, hookTimeout: 60_000 }),
      project('soak'),
      // Its files share a worker's modules: each has tables of its own, and the template is synthesized once.
      project('integration', { ...slow, isolate: false, globalSetup: 'test/integration/start-engines.ts' }),
      // Last, and by itself: it measures an environment that answers as fast as the machine lets it.
      project('e2e', {
        testTimeout: 120_000,
        hookTimeout: 120_000,
        globalSetup: 'test/e2e/local-environment.ts',
        // Its files share one API key and one list of pets.
        fileParallelism: false,
        sequence: { groupOrder: 1 },
      }),
    ],
  },
})
