import type { TestProject } from 'vitest/node'
import type { Plan } from '../../../../shared/api-keys/plans.ts'
import { openLocalEnvironment } from '../../../fixtures/local-environment.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** The local environment that all tests of the reference share: `inject('reference')`. */
    readonly reference: {
      /** URL of the reference page. It ends in a slash. */
      readonly url: string
      readonly apiUrl: string
      /** Keys that the page offers. */
      readonly demoKeys: Readonly<Record<Plan, string>>
      /** A key with a limit of one request a day. */
      readonly oneRequestKey: string
    }
  }
}

/**
 * Starts the environment before the first test. If this fails, nothing is left running.
 *
 * @returns a function that stops the environment
 */
export default async (project: TestProject): Promise<() => Promise<void>> => {
  await using resources = new AsyncDisposableStack()
  const local = await openLocalEnvironment()
  resources.defer(local.stop)
  const { apiKey: oneRequestKey } = await local.keys.issue({
    owner: 'the tests of the reference',
    plan: 'enterprise',
    allowance: { perMinute: 100, perDay: 1 },
  })
  const demoKeys = local.demoKeys.map(({ plan, apiKey }) => [plan, apiKey])
  project.provide('reference', {
    url: local.referenceUrl,
    apiUrl: local.baseUrl,
    // The local environment issues a demo key for each plan.
    demoKeys: Object.fromEntries(demoKeys) as Record<Plan, string>,
    oneRequestKey,
  })
  const running = resources.move()
  return () => running.disposeAsync()
}
