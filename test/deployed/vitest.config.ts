import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Runs the files in the order of their names. The last file destroys an environment that the others use. */
class FileNameSequencer extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return files.toSorted((one, other) => one.moduleId.localeCompare(other.moduleId))
  }
}

/** Time limit of tests that hang. No test fails because it is slow. */
const timeoutMilliseconds = 600_000

/** Configuration of `npm run test:deployed`, which needs an emulator of AWS and takes minutes. */
export default defineConfig({
  root: fileURLToPath(new URL('../..', import.meta.url)),
  test: {
    include: ['test/deployed/**/*.test.ts'],
    globalSetup: 'test/deployed/emulator/emulator.ts',
    deps: { interopDefault: false },
    fileParallelism: false,
    sequence: { sequencer: FileNameSequencer },
    testTimeout: timeoutMilliseconds,
    hookTimeout: timeoutMilliseconds,
    expect: { poll: { timeout: timeoutMilliseconds } },
  },
})
