import type { TestProject } from 'vitest/node'
import type { Plan } from '../../../../shared/api-keys/plans.ts'
import { openLocalEnvironment } from '../../../fixtures/environment/local-environment.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** The local environment that all tests of the reference share: `inject('reference')`. */
    readonly reference: {
      /** URL of the reference page. It ends in a slash. */
      readonly url: string
      readonly apiUrl: string
      /** Keys that the page offers. */
      readonly demoKeys: Readonly<Record<Plan, string>>
      /** Data folder of the environment, for tests that issue keys. */
      readonly dataFolder: string
    }
  }
}

/** Starts the environment before the first test. @returns a function that stops it */
export default async (project: TestProject): Promise<() => Promise<void>> => {
  const local = await openLocalEnvironment()
  const demoKeys = local.demoKeys.map(({ plan, apiKey }) => [plan, apiKey])
  project.provide('reference', {
    url: local.referenceUrl,
    apiUrl: local.baseUrl,
    // The local environment issues a demo key for each plan.
    demoKeys: Object.fromEntries(demoKeys) as Record<Plan, string>,
    dataFolder: local.dataFolder,
  })
  return local.stop
}
