/** Runs in each worker before each test file. */
import fc from 'fast-check'
import { afterAll, afterEach, vi } from 'vitest'

// One seed for all properties of a run, which vitest.config.ts chooses.
fc.configureGlobal({ seed: Number(process.env['PET_SEED']) })

// vitest.config.ts undoes spies and stubs before each test. No option does that for fake timers.
afterEach(() => {
  vi.useRealTimers()
})

// The next file shares the globals of this worker and loads before its first test. So undo the last test's spies and
// stubs when the file ends.
afterAll(() => {
  vi.restoreAllMocks()
  vi.unstubAllEnvs()
  vi.unstubAllGlobals()
})
