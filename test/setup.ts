import fc from 'fast-check'
import { afterAll, vi } from 'vitest'

// Of all properties of a run. vitest.config.ts chooses it and says how to repeat it.
fc.configureGlobal({ seed: Number(process.env['PET_SEED']) })

// Files share the modules and the globals of their worker: what one has replaced for itself is put back after it.
afterAll(() => {
  vi.restoreAllMocks()
  vi.unstubAllEnvs()
  vi.unstubAllGlobals()
  vi.useRealTimers()
})
