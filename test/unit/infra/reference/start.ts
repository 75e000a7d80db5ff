import type { TestProject } from 'vitest/node'
import { openLocalEnvironment } from '../../../fixtures/local-environment.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    readonly reference: {
      readonly url: string
      readonly apiUrl: string
      /** Keys that the page offers. */
      readonly demoKeys: readonly string[]
      /** A key that may make one request a day. */
      readonly usedUpKey: string
    }
  }
}

/** One environment for all files. */
export default async (project: TestProject): Promise<() => Promise<void>> => {
  const local = await openLocalEnvironment()
  const allowance = { perMinute: 100, perDay: 1 }
  const { apiKey } = await local.keys.issue({ owner: 'the tests of the reference', plan: 'enterprise', allowance })
  project.provide('reference', {
    url: local.referenceUrl,
    apiUrl: local.baseUrl,
    demoKeys: local.demoKeys.map((key) => key.apiKey),
    usedUpKey: apiKey,
  })
  return local.stop
}
