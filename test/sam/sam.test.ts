import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { type LocalEnvironment, startLocalEnvironment } from '../../infra/local/environment.ts'
import { runNode } from '../deployed/emulator/run.ts'
import { runEndToEndSuite } from '../deployed/end-to-end-suite.ts'
import { authorizerEvent } from '../events/events.ts'
import { findFreePort } from '../fixtures/dynamodb-local/start.ts'
import { findLocalKeys } from '../fixtures/environment-process.ts'
import { type NodeProcess, startNode } from '../fixtures/node-process.ts'

const image = inject('runtimeImage') ?? ''
const folder = mkdtempSync(join(tmpdir(), 'pet-adoption-sam-'))
const dataFolder = join(folder, 'data')
const command = ['infra/local/sam.ts', '--data', dataFolder]
const withImage = ['--invoke-image', image]
const variables = { SAM_SKIP_PULL_IMAGE: '1' }

/** The beginnings of the names of tests that fail under SAM, from the table that says why. */
const readme = readFileSync(new URL('../../infra/local/README.md', import.meta.url), 'utf8')
const [, table = ''] = /^\| under SAM \|.*\n\|---.*\n((?:\|.*\n)+)/m.exec(readme) ?? []
const different = [...table.matchAll(/\| ([^|]*) \|$/gm)].flatMap(([, cell = '']) =>
  [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name),
)

let environment: LocalEnvironment

interface RunningApi extends NodeProcess {
  readonly baseUrl: string
}

/** Starts `sam local start-api`, and waits until it responds. */
const startApi = async (more: Readonly<Record<string, string>> = {}): Promise<RunningApi> => {
  const port = await findFreePort()
  const words = [...command, 'start-api', '--port', String(port), ...withImage]
  const api = startNode(words, { environment: { ...process.env, ...variables, ...more } })
  const baseUrl = `http://127.0.0.1:${port}`
  // SAM responds to a preflight by itself.
  while (!(await fetch(baseUrl, { method: 'OPTIONS' }).catch(() => undefined))) {
    if (api.child.exitCode !== null) throw new Error(`SAM did not start:\n${api.terminal()}`)
    await setTimeout(100)
  }
  return { ...api, baseUrl }
}

describe.skipIf(image === '')('npm run sam', () => {
  beforeAll(async () => {
    environment = await startLocalEnvironment({ port: 0, dataFolder })
  })
  afterAll(async () => {
    await environment.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  it.each([
    ['list-pets', 200],
    ['create-pet', 201],
    ['get-pet', 200],
    ['list-store-orders', 501],
    ['unknown-route', 404],
  ])('-- invoke %s responds to its event with %i', async (operation, statusCode) => {
    const event = `test/events/${operation}.json`
    const { output, errors } = await runNode([...command, 'invoke', ...withImage, operation, '-e', event], variables)
    expect({ output, errors }).toMatchObject({ output: expect.stringContaining(`{"statusCode": ${statusCode},`) })
  })

  it('-- invoke authorizer allows a request with a key of the local environment', async () => {
    const authorization = `Bearer ${environment.demoKeys[0]?.apiKey}`
    const headers = { headers: { authorization }, multiValueHeaders: { authorization: [authorization] } }
    const event = join(folder, 'authorizer.json')
    writeFileSync(event, JSON.stringify({ ...authorizerEvent(), ...headers }))
    const { output } = await runNode([...command, 'invoke', 'authorizer', ...withImage, '-e', event], variables)
    expect(JSON.parse(output)).toMatchObject({ policyDocument: { Statement: [{ Effect: 'Allow' }] } })
  })

  it('says that the SAM CLI is missing', async () => {
    const { exitCode, errors } = await runNode([...command, 'invoke', 'get-pet'], { PATH: folder })
    expect([exitCode, errors]).toEqual([1, expect.stringMatching(/^The SAM CLI does not start\. .*\n$/)])
  })

  describe('-- start-api', () => {
    let api: RunningApi
    beforeAll(async () => {
      const start = performance.now()
      api = await startApi()
      const durations = [performance.now() - start]
      for (let request = 0; request < 3; request += 1) {
        const before = performance.now()
        const headers = { Authorization: `Bearer ${environment.demoKeys[0]?.apiKey}` }
        expect((await fetch(`${api.baseUrl}/pets`, { headers })).status).toBe(200)
        durations.push(performance.now() - before)
      }
      console.log(`Ready, then three requests: ${durations.map((ms) => `${(ms / 1_000).toFixed(2)} s`).join(', ')}`)
    })

    it('passes the end-to-end suite, but for what SAM is known to do differently', { timeout: 1_200_000 }, async () => {
      const keys = await findLocalKeys(dataFolder)
      const allowance = { perMinute: 30_000, perDay: 100_000_000 }
      const { apiKey } = await keys.issue({ owner: 'the suite', plan: 'enterprise', allowance })
      const outcomes = await runEndToEndSuite({
        folder,
        variables: { PET_API_URL: api.baseUrl, PET_API_KEY: apiKey, PET_API_DATA: dataFolder },
      })
      const passed = outcomes.filter(({ status }) => status === 'passed')
      const failed = outcomes.filter(({ status }) => status === 'failed')
      expect(failed.filter(({ name }) => !different.some((start) => name.startsWith(start)))).toEqual([])
      expect(different.filter((start) => passed.some(({ name }) => name.startsWith(start)))).toEqual([])
      expect(different.filter((start) => !failed.some(({ name }) => name.startsWith(start)))).toEqual([])
      expect(passed.length).toBeGreaterThan(150)
    })

    it('ends at Ctrl-C', async () => {
      api.child.kill('SIGINT')
      expect(await api.ended).toBe(0)
    })
  })
})
