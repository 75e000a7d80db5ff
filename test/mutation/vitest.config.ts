import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

// The setup reads the first in the process of vitest, to which "env" of the configuration does not apply. The tests that
// try many orders of calls try a few for each mutant.
Object.assign(process.env, { TEST_ENGINES: 'dynalite', PET_INTERLEAVINGS: '5', PET_KEY_COMMANDS: '5' })

/** The unit tests of what is mutated, on dynalite alone. */
export default defineConfig({
  root: fileURLToPath(new URL('../..', import.meta.url)),
  test: {
    deps: { interopDefault: false },
    include: ['test/unit/{shared,functions,infra/operations/keys}/**/*.test.ts'],
    globalSetup: 'test/fixtures/start-engines.ts',
    testTimeout: 60_000,
  },
})
