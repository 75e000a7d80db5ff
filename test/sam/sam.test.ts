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

const succeeds = (program: string, argument: string): boolean => spawnSync(program, [argument]).status === 0

const isSmallRun = chooseBySize(true, false)
const isSkipped =
  shouldSkip(isSmallRun, 'npm run sam is not tested: it takes minutes; "npm run test:all" tests it.') ||
  shouldSkipWithout(
    // The image is made of programs for Linux.
    process.platform === 'linux' && succeeds('docker', 'ps') && succeeds('sam', '--version'),
    'npm run sam is not tested: it needs Linux, Docker and the SAM CLI.',
  )

/** Repository of this run alone, so that its clean-up removes no image that another run uses. */
const repository = `pet-adoption-lambda-${process.pid}`
const image = `${repository}:test`
const folder = createTemporaryFolder()
const dataFolder = join(folder, 'data')

/** Starts `npm run sam` with a command of `sam local`. The containers run the test image. */
const startSam = (command: string, args: readonly string[], variables: NodeJS.ProcessEnv = {}) =>
  startNode(['infra/local/sam.ts', '--data', dataFolder, command, '--invoke-image', image, ...args], {
    variables: { SAM_SKIP_PULL_IMAGE: '1', ...variables },
  })

/** Starts `npm run sam -- start-api`, and waits until the API responds. The caller interrupts it. */
const startApi = async () => {
  const port = await findFreePort()
  const url = `http://127.0.0.1:${port}/pets`
  const sam = startSam('start-api', ['--port', String(port)])
  const printed = () => `SAM printed:\n${sam.terminal()}`

  // SAM itself responds to a preflight, without a container.
  while (!(await fetch(url, { method: 'OPTIONS' }).catch(() => undefined))) {
    if (sam.child.exitCode !== null) throw new Error(`SAM did not start. ${printed()}`)
    await setTimeout(100)
  }

  /** Sends Ctrl-C. SAM then removes its containers: an image whose container runs cannot be removed. */
  const interrupt = (): Promise<number | null> => {
    sam.child.kill('SIGINT')
    return sam.ended
  }

  return { url, printed, interrupt }
}

describe.skipIf(isSkipped)('npm run sam', () => {
  let environment: LocalEnvironment | undefined
  beforeAll(async () => {
    makeRuntimeImage(image)
    environment = await startLocalEnvironment({ port: 0, dataFolder })
  })
  afterAll(async () => {
    await environment?.stop()
    removeRuntimeImages(repository)
  })

  it.each([
    { operation: 'list-pets', statusCode: 200 },
    { operation: 'create-pet', statusCode: 201 },
    { operation: 'get-pet', statusCode: 200 },
    { operation: 'list-store-orders', statusCode: 501 },
    { operation: 'unknown-route', statusCode: 404 },
  ])('npm run sam -- invoke $operation responds to its event with $statusCode', async ({ operation, statusCode }) => {
    const { ended, output, errors, terminal } = startSam('invoke', [operation, '-e', `test/events/${operation}.json`])

    await ended

    const printed = `SAM printed:\n${terminal()}`
    expect(output() + errors(), printed).toContain(`{"statusCode": ${statusCode},`)
  })

  it('npm run sam says that the SAM CLI is missing', async () => {
    const { ended, errors } = startSam('invoke', ['get-pet'], { PATH: folder })

    expect(await ended).toBe(1)
    expect(errors()).toMatch(/^The SAM CLI does not start\. .*\n$/)
  })

  describe('npm run sam -- start-api', () => {
    let api: Awaited<ReturnType<typeof startApi>>
    beforeAll(async () => {
      api = await startApi()
    })
    afterAll(() => api.interrupt())

    it('npm run sam -- start-api serves the API with the tables and limits of the local environment', async () => {
      const keys = await openLocalKeys(dataFolder)
      const { apiKey } = await keys.issue({ owner: 'x', plan: 'enterprise', limits: { perMinute: 9, perDay: 2 } })
      const headers = { Authorization: `Bearer ${apiKey}`, 'Content-Type': 'application/json' }
      const body = JSON.stringify({ name: 'Sam', categoryId: 1 })

      const created = await fetch(api.url, { method: 'POST', headers, body })
      const listed = await fetch(`${api.url}?limit=1`, { headers })
      const overLimit = await fetch(api.url, { headers })

      expect(created.status, api.printed()).toBe(201)
      expect(listed.headers.get('X-RateLimit-Remaining'), api.printed()).toBe('0')
      expect(await listed.json(), api.printed()).toMatchObject([{ name: 'Sam' }])
      expect(overLimit.status, api.printed()).toBe(429)
    })

    it('npm run sam -- start-api responds 403 without an API key, because SAM has no gateway responses', async () => {
      const response = await fetch(api.url)

      expect(response.status, api.printed()).toBe(403)
    })
  })

  it('npm run sam -- start-api ends at Ctrl-C', async () => {
    const { url, interrupt, printed } = await startApi()
    // The first request starts a container.
    await fetch(url)

    const exitCode = await interrupt()

    expect(exitCode, printed()).toBe(0)
  })
})
