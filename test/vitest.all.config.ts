import { mergeConfig } from 'vitest/config'
import tests from './vitest.config.ts'

/** `npm run test:all`: the tests of `npm test`, at the sizes of continuous integration. */
export default mergeConfig(tests, { test: { env: { TEST_SIZE: 'full' } } })
