import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type LocalEnvironment, startLocalEnvironment } from '../../infra/local/environment.ts'
import { findFreePort } from '../fixtures/dynamodb-local/start.ts'
import { openLocalKeys } from '../fixtures/local-environment.ts'
import { startNode } from '../fixtures/node-process.ts'
import { chooseBySize, shouldSkip, shouldSkipWithout } from '../fixtures/size.ts'
import { createTemporaryFolder } from '../fixtures/temporary-folder.ts'
import { makeRuntimeImage, removeRuntimeImages } from './runtime-image.ts'

const runs = (program: string, word: string): boolean => spawnSync(program, [word]).status === 0
const isSkipped =
  shouldSkip(chooseBySize(true, false), 'npm run sam is not tested: it takes minutes; "npm run test:all" tests it.') ||
  shouldSkipWithout(
    // The image is made of programs for Linux.
    process.platform === 'linux' && runs('docker', 'ps') && runs('sam', '--version'),
    'npm run sam is not tested: it needs Linux, Docker and the SAM CLI.',
  )

const repository = 'pet-adoption-lambda'
const image = `${repository}:test-${process.pid}`
const folder = createTemporaryFolder()
const dataFolder = join(folder, 'data')

/** Runs a command of `sam local` in containers of the image, with these variables beside those of this process. */
const sam = (command: string, words: readonly string[], variables: NodeJS.ProcessEnv = {}) =>
  startNode(['infra/local/sam.ts', '--data', dataFolder, command, '--invoke-image', image, ...words], {
    variables: { SAM_SKIP_PULL_IMAGE: '1', ...variables },
  })

describe.skipIf(isSkipped)('npm run sam', () => {
  let environment: LocalEnvironment
  beforeAll(async () => {
    makeRuntimeImage(image)
    environment = await startLocalEnvironment({ port: 0, dataFolder })
  })
  afterAll(async () => {
    await environment.stop()
    removeRuntimeImages(repository)
  })

  it.each([
    ['list-pets', 200],
    ['create-pet', 201],
    ['get-pet', 200],
    ['list-store-orders', 501],
    ['unknown-route', 404],
  ])('-- invoke %s responds to its event with %i', async (operation, statusCode) => {
    const { ended, output, errors } = sam('invoke', [operation, '-e', `test/events/${operation}.json`])
    await ended
    expect([output(), errors()]).toContainEqual(expect.stringContaining(`{"statusCode": ${statusCode},`))
  })

  it('says that the SAM CLI is missing', async () => {
    const { ended, errors } = sam('invoke', ['get-pet'], { PATH: folder })
    expect([await ended, errors()]).toEqual([1, expect.stringMatching(/^The SAM CLI does not start\. .*\n$/)])
  })

  it('-- start-api serves the API with authorizer, tables and limits of the local environment, until Ctrl-C', async () => {
    const port = await findFreePort()
    const url = `http://127.0.0.1:${port}/pets`
    const { child, ended, terminal } = sam('start-api', ['--port', String(port)])
    // SAM responds to a preflight by itself.
    while (!(await fetch(url, { method: 'OPTIONS' }).catch(() => undefined))) {
      if (child.exitCode !== null) throw new Error(`SAM did not start:\n${terminal()}`)
      await setTimeout(100)
    }
    const keys = await openLocalKeys(dataFolder)
    const { apiKey } = await keys.issue({ owner: 'x', plan: 'enterprise', allowance: { perMinute: 9, perDay: 2 } })
    const headers = { Authorization: `Bearer ${apiKey}`, 'Content-Type': 'application/json' }
    const body = JSON.stringify({ name: 'Sam', categoryId: 1 })
    expect((await fetch(url, { method: 'POST', headers, body })).status).toBe(201)
    const listed = await fetch(`${url}?limit=1`, { headers })
    expect([listed.headers.get('X-RateLimit-Remaining'), await listed.json()]).toMatchObject(['0', [{ name: 'Sam' }]])
    expect((await fetch(url, { headers })).status).toBe(429)
    // SAM has no gateway responses.
    expect((await fetch(url)).status).toBe(502)
    child.kill('SIGINT')
    expect(await ended).toBe(0)
  })
})
