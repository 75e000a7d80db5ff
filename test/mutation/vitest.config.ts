import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

// The setup reads it in the process of vitest, to which "env" of the configuration does not apply.
process.env['TEST_ENGINES'] = 'dynalite'

/**
 * The unit tests of what is mutated, on dynalite alone. The tests that try many orders of calls take too long to run for
 * each mutant.
 */
export default defineConfig({
  root: fileURLToPath(new URL('../..', import.meta.url)),
  test: {
    deps: { interopDefault: false },
    include: ['test/unit/{shared,functions,infra/operations/keys}/**/*.test.ts'],
    exclude: ['**/{interleavings,operators}.test.ts'],
    globalSetup: 'test/fixtures/start-engines.ts',
    testTimeout: 60_000,
  },
})
