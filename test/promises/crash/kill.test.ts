import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import type { Engine } from '../../../infra/local/database/database.ts'
import { findLocalKeys } from '../../../infra/operations/keys/local-keys.ts'
import { type EnvironmentProcess, spawnEnvironment, startEnvironment } from '../../fixtures/environment-process.ts'
import { sized } from '../../fixtures/size.ts'
import { temporaryFolder } from '../../unit/infra/local/fixtures.ts'
import { enginesHere } from './engines.ts'
import { type Acknowledged, bearer, issueKey, nothingYet, writeAll } from './load.ts'

/** How often each engine's environment is killed: `PET_CRASH_KILLS=50 npm test -- kill.test.ts`. */
const kills = Number(process.env['PET_CRASH_KILLS'] ?? sized(1, 5))
/** Milliseconds: a kill and its restart took 11 seconds on dynalite and 26 on DynamoDB Local, on two busy cores. */
const timeout = 300_000 + kills * 60_000

const folder = temporaryFolder()

/** Retries while the service is unavailable: on a busy machine the database may take longer than the SDK waits. */
const request = async (url: string, apiKey: string) => {
  while (true) {
    const response = await fetch(url, { headers: bearer(apiKey) })
    const text = await response.text()
    if (response.status !== 503) return { status: response.status, link: response.headers.get('Link') ?? '', text }
    await setTimeout(1_000)
  }
}

const statusOf = async (url: string, apiKey: string): Promise<number> => (await request(url, apiKey)).status

/** Every pet's id, by following the pages of the unfiltered list. */
const listAll = async (baseUrl: string, apiKey: string): Promise<number[]> => {
  const ids: number[] = []
  for (let next: string | undefined = `${baseUrl}/pets?limit=100`; next !== undefined; ) {
    const { status, link, text } = await request(next, apiKey)
    expect(status).toBe(200)
    const pets: { id: number }[] = JSON.parse(text)
    ids.push(...pets.map(({ id }) => id))
    next = /<([^>]+)>; rel="next"/.exec(link)?.[1]
  }
  return ids
}

/** Milliseconds after which a start is killed: while it creates its tables, and while it synthesizes. */
const momentsOfStart = [2_500, 600]

/** A start that is killed before it is ready. The next one must not mind. */
const killStart = async (dataFolder: string, engine: Engine, kill: number): Promise<void> => {
  const { child, ended } = spawnEnvironment({ dataFolder, engine })
  await setTimeout(momentsOfStart[kill % momentsOfStart.length])
  child.kill('SIGKILL')
  await ended
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

describe.each(enginesHere)(
  'A local environment on %s, killed while it starts and in the middle of writes',
  (engine) => {
    test(
      `starts, and has everything that it acknowledged, ${kills} times`,
      async () => {
        const dataFolder = join(folder, engine)
        const all = nothingYet()
        const known = new Set<number>()
        let apiKey: string | undefined
        for (let kill = 0; kill <= kills; kill += 1) {
          if (kill < momentsOfStart.length) await killStart(dataFolder, engine, kill)
          await using running = await startEnvironment({ dataFolder, engine })
          apiKey ??= (await issueKey(await findLocalKeys(dataFolder), 'load')).apiKey
          await expectAllThere(running, dataFolder, apiKey, all, known)
          if (kill === kills) break
          const load = await writeAll(running.baseUrl, dataFolder, apiKey, all)
          // Another moment each time, the same in every run.
          await load.reach(10)
          await setTimeout((kill * 137) % 400)
          running.child.kill('SIGKILL')
          await running.ended
          await load.end()
        }
        console.log(
          `${engine}: ${kills} kills, ${all.pets.size} pets and ${all.keys.length + all.revokedKeys.length} keys kept`,
        )
        expect(all.pets.size).toBeGreaterThanOrEqual(10 * kills)
        expect(all.keys.length).toBeGreaterThan(0)
      },
      timeout,
    )
  },
)
