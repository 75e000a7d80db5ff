import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

// The option `env` of vitest does not apply to the process that runs `globalSetup`, so set the variables here.
process.env['TEST_ENGINES'] = 'dynalite'
// Few orders of calls for each mutant.
process.env['PET_INTERLEAVINGS'] = '5'
process.env['PET_KEY_COMMANDS'] = '5'

/** Configuration of `npm run mutate`, which runs the unit tests of the mutated code on dynalite alone. */
export default defineConfig({
  root: fileURLToPath(new URL('../..', import.meta.url)),
  test: {
    deps: { interopDefault: false },
    include: ['test/unit/{shared,functions,infra/operations/keys}/**/*.test.ts'],
    globalSetup: 'test/fixtures/start-engines.ts',
    testTimeout: 60_000,
    restoreMocks: true,
    unstubEnvs: true,
    unstubGlobals: true,
  },
})
