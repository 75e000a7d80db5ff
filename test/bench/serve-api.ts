import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findLocalKeys } from '../../infra/operations/keys/local-keys.ts'
import type { Allowance } from '../../shared/api-keys/plans.ts'
import { startEnvironment } from '../fixtures/environment-process.ts'

/** A local environment in a process of its own, with what the scenarios need. */
export interface ServedApi extends AsyncDisposable {
  readonly baseUrl: string
  /** With room for every request of the benchmark. */
  readonly apiKey: string
  /** Its limit is used up. */
  readonly exhaustedKey: string
  readonly petId: number
  issueKey(allowance: Allowance): Promise<string>
}

export const serveApi = async (): Promise<ServedApi> => {
  await using resources = new AsyncDisposableStack()
  const dataFolder = await mkdtemp(join(tmpdir(), 'pet-adoption-bench-'))
  resources.defer(() => rm(dataFolder, { recursive: true, force: true }))
  const { baseUrl } = resources.use(await startEnvironment({ dataFolder }))
  const keys = await findLocalKeys(dataFolder)
  const issueKey = async (allowance: Allowance): Promise<string> =>
    (await keys.issue({ owner: 'benchmark', plan: 'enterprise', allowance })).apiKey
  const apiKey = await issueKey({ perMinute: 1_000_000_000, perDay: 1_000_000_000 })
  const exhaustedKey = await issueKey({ perMinute: 1_000, perDay: 1 })
  const headers = { authorization: `Bearer ${exhaustedKey}` }
  const list = await (await fetch(`${baseUrl}/pets`, { headers })).text()
  const petId = Number(/"id":(\d+)/.exec(list)?.[1])
  const running = resources.move()
  return { baseUrl, apiKey, exhaustedKey, petId, issueKey, [Symbol.asyncDispose]: () => running.disposeAsync() }
}
