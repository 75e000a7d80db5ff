import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** By name: the last file takes down what the others use. */
class ByName extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return files.toSorted((one, other) => one.moduleId.localeCompare(other.moduleId))
  }
}

/** Apart from `npm test`: it needs an emulator of AWS, and minutes. */
export default defineConfig({
  root: fileURLToPath(new URL('../..', import.meta.url)),
  test: {
    include: ['test/deployed/**/*.test.ts'],
    globalSetup: 'test/deployed/emulator/emulator.ts',
    deps: { interopDefault: false },
    fileParallelism: false,
    sequence: { sequencer: ByName },
    // Time limits end what hangs; none is for slowness.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    expect: { poll: { timeout: 600_000 } },
  },
})
