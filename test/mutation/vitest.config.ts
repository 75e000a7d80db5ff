import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

// The same seed each time, so that a score changes only if the sources or the tests have changed.
process.env['PET_SEED'] = '20261122'

/** Configuration of the tests of `npm run mutate`: those of the mutated code, on dynalite alone. */
export default defineConfig({
  root: fileURLToPath(new URL('../..', import.meta.url)),
  test: {
    // Modules are imported as Node.js imports them, so that the tests run the same code as the service.
    deps: { interopDefault: false },
    include: [
      'test/unit/shared/{rate-limit,idempotency,pets}/**/*.test.ts',
      'test/unit/functions/operations.test.ts',
      'test/unit/functions/authorizer/*.test.ts',
    ],
    globalSetup: 'test/fixtures/database/engines.ts',
    setupFiles: 'test/setup.ts',
    testTimeout: 60_000,
    restoreMocks: true,
    unstubEnvs: true,
    unstubGlobals: true,
  },
})
