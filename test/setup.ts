import fc from 'fast-check'
import { afterAll, vi } from 'vitest'
import { seed } from './fixtures/seed.ts'

fc.configureGlobal({ seed })

// Files share the modules and the globals of their worker: what one has replaced for itself is put back after it.
afterAll(() => {
  vi.restoreAllMocks()
  vi.unstubAllEnvs()
  vi.unstubAllGlobals()
  vi.useRealTimers()
})
