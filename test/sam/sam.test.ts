import { execFileSync, spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { type LocalEnvironment, startLocalEnvironment } from '../../infra/local/environment.ts'
import { findFreePort } from '../fixtures/database/dynamodb-local/start.ts'
import { openLocalKeys } from '../fixtures/environment/local-environment.ts'
import { startNode } from '../fixtures/machine/node-process.ts'
import { shouldSkipWithout } from '../fixtures/machine/size.ts'
import { createTemporaryFolder } from '../fixtures/machine/temporary-folder.ts'

const succeeds = (program: string, argument: string): boolean => spawnSync(program, [argument]).status === 0

const isSkipped = shouldSkipWithout(
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

/** Waits until the API of `start-api` responds. SAM itself responds to a preflight, without a container. */
const waitForApi = async (url: string, { child, terminal }: ReturnType<typeof startSam>): Promise<void> => {
  while (!(await fetch(url, { method: 'OPTIONS' }).catch(() => undefined))) {
    if (child.exitCode !== null) throw new Error(`SAM did not start. SAM printed:\n${terminal()}`)
    await setTimeout(100)
  }
}

/** Programs of the image: the shell programs that the SAM CLI runs while it adds its own layer, and Node. */
const programs = ['/bin/sh', '/bin/mv', '/bin/chmod', process.execPath]

/**
 * Makes an image that the SAM CLI accepts as Lambda's. It has the runtime of `bootstrap.ts`, the programs, and their
 * libraries, at the paths that they have on this machine. No registry is needed.
 */
const makeRuntimeImage = (): void => {
  const root = createTemporaryFolder()
  for (const path of ['tmp', 'var/task', 'var/runtime']) mkdirSync(join(root, path), { recursive: true })
  const runtime = join(root, 'var/runtime/bootstrap')
  copyFileSync(new URL('./bootstrap.ts', import.meta.url), `${runtime}.ts`)
  writeFileSync(runtime, `#!/bin/sh\nexec ${process.execPath} /var/runtime/bootstrap.ts\n`, { mode: 0o755 })

  const files = new Set([...programs, ...findLibraries(), '/etc/passwd'])
  const archive = join(root, 'root.tar')
  // -h: the archive has the target of a symbolic link under the name of the link.
  execFileSync('tar', ['-chPf', archive, '-C', root, 'tmp', 'var', ...files])
  execFileSync('docker', ['import', archive, image], { stdio: 'ignore' })
}

/** Finds the paths of the libraries of the programs. A line of `ldd` ends with the path and address of a library. */
const findLibraries = (): readonly string[] => {
  const listed = execFileSync('ldd', programs, { encoding: 'utf8' })
  return [...listed.matchAll(/(\/\S+) \(0x/g)].map(([, library = '']) => library)
}

/**
 * Removes the images of a repository: the image of `makeRuntimeImage`, and the image that SAM builds on it. A failure
 * is only printed, because the tests of `npm run sam` may have passed.
 */
const removeRuntimeImages = (): void => {
  try {
    const listed = execFileSync('docker', ['images', '--quiet', repository], { encoding: 'utf8' })
    const ids = new Set(listed.split('\n').filter((id) => id !== ''))
    // Standard error is piped, so that the message of a failure contains what Docker printed.
    if (ids.size > 0) execFileSync('docker', ['rmi', '--force', ...ids], { stdio: 'pipe' })
  } catch (error) {
    console.warn(`The images of ${repository} are left in Docker, because they could not be removed.`, error)
  }
}

describe.skipIf(isSkipped)('npm run sam', () => {
  let environment: LocalEnvironment | undefined
  beforeAll(async () => {
    makeRuntimeImage()
    environment = await startLocalEnvironment({ port: 0, dataFolder })
  })
  afterAll(async () => {
    await environment?.stop()
    removeRuntimeImages()
  })

  it('npm run sam -- invoke runs a function on the tables of the local environment', async () => {
    const { ended, terminal } = startSam('invoke', ['create-pet', '-e', 'test/events/create-pet.json'])

    await ended

    expect(terminal()).toContain('{"statusCode": 201,')
  })

  it('npm run sam says that the SAM CLI is missing', async () => {
    const { ended, errors } = startSam('invoke', ['get-pet'], { PATH: folder })

    expect(await ended).toBe(1)
    expect(errors()).toMatch(/^The SAM CLI does not start\. .*\n$/)
  })

  it('npm run sam -- start-api serves the API with the limits of its keys, until Ctrl-C ends it', async () => {
    const keys = await openLocalKeys(dataFolder)
    // The third request of this test is over the limit of a day.
    const { apiKey } = await keys.issue({ owner: 'x', plan: 'enterprise', limits: { perMinute: 9, perDay: 2 } })
    const headers = { Authorization: `Bearer ${apiKey}`, 'Content-Type': 'application/json' }
    const body = JSON.stringify({ name: 'Sam', categoryId: 1 })
    const port = await findFreePort()
    const url = `http://127.0.0.1:${port}/pets`
    const sam = startSam('start-api', ['--port', String(port)])
    onTestFinished(async () => {
      sam.child.kill('SIGINT')
      await sam.ended
    })
    const printed = () => `SAM printed:\n${sam.terminal()}`
    await waitForApi(url, sam)

    const created = await fetch(url, { method: 'POST', headers, body })
    const listed = await fetch(`${url}?limit=1`, { headers })
    const overLimit = await fetch(url, { headers })
    const withoutKey = await fetch(url)
    // SAM removes its containers before it ends: an image whose container runs cannot be removed.
    sam.child.kill('SIGINT')
    const exitCode = await sam.ended

    expect(created.status, printed()).toBe(201)
    expect(listed.headers.get('X-RateLimit-Remaining'), printed()).toBe('0')
    expect(await listed.json(), printed()).toMatchObject([{ name: 'Sam' }])
    expect(overLimit.status, printed()).toBe(429)
    // SAM has no gateway responses, so this status is no 401.
    expect(withoutKey.status, printed()).toBe(403)
    expect(exitCode, printed()).toBe(0)
  })
})
