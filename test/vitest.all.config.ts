import { mergeConfig } from 'vitest/config'
import tests from './vitest.config.ts'

// The option `env` of vitest does not apply to the process that runs `globalSetup`, so set this variable here.
process.env['TEST_ENGINES'] ??= 'all'

/** `npm run test:all`: the tests of `npm test`, at the sizes of continuous integration, on both database engines. */
export default mergeConfig(tests, { test: { env: { TEST_SIZE: 'full' } } })
