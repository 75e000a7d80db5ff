import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { findLocalKeys } from '../../../infra/operations/keys/local-keys.ts'
import { type EnvironmentProcess, spawnEnvironment, startEnvironment } from '../../fixtures/environment-process.ts'
import { sized } from '../../fixtures/size.ts'
import { temporaryFolder } from '../../unit/infra/local/fixtures.ts'
import { enginesHere } from './engines.ts'
import { type Acknowledged, bearer, issueKey, nothingYet, writeAll } from './load.ts'

/** How often each engine's environment is killed: `PET_CRASH_KILLS=50 npm test -- --project crash`. */
const kills = Number(process.env['PET_CRASH_KILLS'] ?? sized(1, 5))
/** Milliseconds: a kill and its restart took 11 seconds on dynalite and 26 on DynamoDB Local, on two busy cores. */
const timeout = 300_000 + kills * 60_000

const folder = temporaryFolder()

/** Every pet's id, by following the pages of the unfiltered list. */
const listAll = async (baseUrl: string, apiKey: string): Promise<number[]> => {
  const ids: number[] = []
  for (let next: string | undefined = `${baseUrl}/pets?limit=100`; next !== undefined; ) {
    const page: Response = await request(next, apiKey)
    expect(page.status).toBe(200)
    const pets: { id: number }[] = JSON.parse(await page.text())
    ids.push(...pets.map(({ id }) => id))
    next = /<([^>]+)>; rel="next"/.exec(page.headers.get('Link') ?? '')?.[1]
  }
  return ids
}

/** Retries while the service is unavailable: on a busy machine the database may take longer than the SDK waits. */
const request = async (url: string, apiKey: string): Promise<Response> => {
  while (true) {
    const response = await fetch(url, { headers: bearer(apiKey) })
    if (response.status !== 503) return response
    await response.arrayBuffer()
    await setTimeout(1_000)
  }
}

const statusOf = async (url: string, apiKey: string): Promise<number> => {
  const response = await request(url, apiKey)
  await response.arrayBuffer()
  return response.status
}

/** @param known the pets that were looked at one by one before */
const expectAllThere = async (
  { baseUrl }: EnvironmentProcess,
  dataFolder: string,
  apiKey: string,
  all: Acknowledged,
  known: Set<number>,
): Promise<void> => {
  const listed = await listAll(baseUrl, apiKey)
  expect(all.pets.isSubsetOf(new Set(listed)), 'an acknowledged pet is gone').toBe(true)
  // Also those that were never acknowledged: what is in the list is there.
  for (const id of listed.filter((one) => !known.has(one))) {
    expect(await statusOf(`${baseUrl}/pets/${id}`, apiKey), `listed pet ${id}`).toBe(200)
    known.add(id)
  }
  const keys = await findLocalKeys(dataFolder)
  const states = new Map((await keys.list()).map(({ keyId, state }) => [keyId, state]))
  expect(all.keys.map(({ record }) => states.get(record.keyId))).toEqual(all.keys.map(() => 'active'))
  expect(all.revokedKeys.map(({ record }) => states.get(record.keyId))).toEqual(all.revokedKeys.map(() => 'revoked'))
  for (const keyId of states.keys()) expect((await keys.show(keyId)).keyId).toBe(keyId)
  for (const { apiKey: kept } of all.keys.slice(-10)) expect(await statusOf(`${baseUrl}/pets?limit=1`, kept)).toBe(200)
  for (const { apiKey: gone } of all.revokedKeys.slice(-10)) expect(await statusOf(`${baseUrl}/pets`, gone)).toBe(401)
}

describe.each(enginesHere)('A local environment on %s, killed in the middle of writes', (engine) => {
  test(
    `has everything that it acknowledged, ${kills} times`,
    async () => {
      const dataFolder = join(folder, engine)
      const all = nothingYet()
      const known = new Set<number>()
      let apiKey: string | undefined
      for (let kill = 0; kill <= kills; kill += 1) {
        await using running = await startEnvironment({ dataFolder, engine })
        apiKey ??= (await issueKey(await findLocalKeys(dataFolder), 'load')).apiKey
        await expectAllThere(running, dataFolder, apiKey, all, known)
        if (kill === kills) break
        const load = await writeAll(running.baseUrl, dataFolder, apiKey)
        // Another moment each time, the same in every run.
        await load.reach(10)
        await setTimeout((kill * 137) % 400)
        running.child.kill('SIGKILL')
        await running.ended
        await load.end()
        for (const id of load.acknowledged.pets) all.pets.add(id)
        all.keys.push(...load.acknowledged.keys)
        all.revokedKeys.push(...load.acknowledged.revokedKeys)
      }
      console.log(
        `${engine}: ${kills} kills, ${all.pets.size} pets and ${all.keys.length + all.revokedKeys.length} keys kept`,
      )
      expect(all.pets.size).toBeGreaterThanOrEqual(10 * kills)
      expect(all.keys.length).toBeGreaterThan(0)
    },
    timeout,
  )
})

describe('A local environment that was killed while it started', () => {
  test.each([600, 2_500])('starts the next time (after %d ms)', async (milliseconds) => {
    const dataFolder = join(folder, `start-${milliseconds}`)
    const first = spawnEnvironment({ dataFolder })
    await setTimeout(milliseconds)
    first.child.kill('SIGKILL')
    await first.ended
    await using second = await startEnvironment({ dataFolder })
    expect(await statusOf(`${second.baseUrl}/pets`, 'none')).toBe(401)
  })
})
