import { afterAll, beforeAll } from 'vitest'
import { openLocalEnvironment } from '../../../fixtures/local-environment.ts'

type LocalApi = Awaited<ReturnType<typeof openLocalEnvironment>> & {
  /** What the environment wrote for whoever runs it. */
  readonly lines: readonly string[]
}

/** A local environment for one test file, to be asked for within its tests. */
export const localApi = (): (() => LocalApi) => {
  let api: LocalApi | undefined
  beforeAll(async () => {
    const lines: string[] = []
    api = { ...(await openLocalEnvironment({ writeLine: (line) => lines.push(line) })), lines }
  })
  afterAll(() => api?.stop())
  return () => {
    if (api === undefined) throw new Error('The environment has not started.')
    return api
  }
}
