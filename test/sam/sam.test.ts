import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { type LocalEnvironment, startLocalEnvironment } from '../../infra/local/environment.ts'
import { findFreePort } from '../../infra/local/gateway/server/listen.ts'
import { runNode } from '../deployed/emulator/run.ts'
import { runEndToEndSuite } from '../deployed/end-to-end-suite.ts'
import { authorizerEvent } from '../events/events.ts'
import { findLocalKeys } from '../fixtures/local-keys.ts'
import { type NodeProcess, startNode } from '../fixtures/node-process.ts'

const image = inject('runtimeImage') ?? ''
const folder = mkdtempSync(join(tmpdir(), 'pet-adoption-sam-'))
const dataFolder = join(folder, 'data')
const command = ['infra/local/sam/sam.ts', '--data', dataFolder]
const withImage = ['--invoke-image', image]
const variables = { SAM_SKIP_PULL_IMAGE: '1' }

/** The beginnings of the names of tests that fail under SAM, from the table that says why. */
const readme = readFileSync(new URL('../../infra/local/README.md', import.meta.url), 'utf8')
const [, table = ''] = /^\| under SAM \|.*\n\|---.*\n((?:\|.*\n)+)/m.exec(readme) ?? []
const different = [...table.matchAll(/\| ([^|]*) \|$/gm)].flatMap(([, cell = '']) =>
  [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name),
)

let environment: LocalEnvironment

const docker = (...words: readonly string[]): string => execFileSync('docker', words, { encoding: 'utf8' }).trim()

/** What is left in the engine of commands that have ended: their networks, and containers of our image. */
const leftovers = (): string =>
  docker('network', 'ls', '--quiet', '--filter', 'name=pet-adoption-sam-') +
  docker(
    'ps',
    '--all',
    '--quiet',
    '--filter',
    `ancestor=pet-adoption-lambda:rapid-${process.arch === 'arm64' ? 'arm64' : 'x86_64'}`,
  )

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

/** A socket that leads to the engine until it is closed, as if the engine stopped. */
const openEngine = async (path: string) => {
  const engine = /^unix:\/\/(.+)$/.exec(process.env['DOCKER_HOST'] ?? '')?.[1] ?? '/var/run/docker.sock'
  const sockets = new Set<Socket>()
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    const forwarded = connect({ path: engine, allowHalfOpen: true })
    for (const end of [socket, forwarded]) sockets.add(end.on('error', () => undefined))
    socket.pipe(forwarded).pipe(socket)
  }).listen(path)
  await once(server, 'listening')
  return {
    stop: () => {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
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
    expect(leftovers()).toBe('')
  })

  it('says that the SAM CLI is missing', async () => {
    const path = mkdtempSync(join(folder, 'path-'))
    symlinkSync(execFileSync('sh', ['-c', 'command -v docker'], { encoding: 'utf8' }).trim(), join(path, 'docker'))
    const { exitCode, errors } = await runNode([...command, 'invoke', 'get-pet'], { PATH: path })
    expect(errors).toMatch(/^The SAM CLI is not on the PATH\. .*\n$/)
    expect([exitCode, leftovers()]).toEqual([1, ''])
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

    it('makes the database reachable from its containers only, and for as long as it runs', async () => {
      const assembly = join(dataFolder, 'cdk.out')
      const [template = ''] = readdirSync(assembly).filter((name) => name.startsWith('sam-'))
      const text = readFileSync(join(assembly, template, 'template.json'), 'utf8')
      const endpoint = /"AWS_ENDPOINT_URL_DYNAMODB": "([^"]+)"/.exec(text)?.[1] ?? ''
      const script = `fetch('${endpoint}').then(({ status }) => console.log(status), () => console.log('unreachable'))`
      const from = (network: string) => docker('run', '--rm', '--network', network, image, '/bin/node', '-e', script)
      expect(from(docker('network', 'ls', '--format', '{{.Name}}', '--filter', 'name=pet-adoption-sam-'))).toMatch(
        /^\d+$/,
      )
      expect(from('bridge')).toBe('unreachable')
      await expect(fetch(endpoint)).rejects.toThrow()

      api.child.kill('SIGINT')
      expect(await api.ended).toBe(0)
      expect(from('bridge')).toBe('unreachable')
      await expect(fetch(endpoint)).rejects.toThrow()
      expect([leftovers(), existsSync(join(assembly, template))]).toEqual(['', false])
    })
  })

  it('ends with one sentence when the engine stops, whose containers the next command removes', async () => {
    const socket = join(folder, 'docker.sock')
    const engine = await openEngine(socket)
    const api = await startApi({ DOCKER_HOST: `unix://${socket}` })
    const headers = { Authorization: `Bearer ${environment.demoKeys[0]?.apiKey}` }
    expect((await fetch(`${api.baseUrl}/pets`, { headers })).status).toBe(200)
    const before = api.terminal().length
    engine.stop()
    expect(await api.ended).toBe(1)
    expect(api.terminal().slice(before).trim()).toBe(
      'The container engine stopped. Start it, and run the command again.',
    )

    await runNode([...command, 'invoke', '--help'], variables)
    expect(leftovers()).toBe('')
  })
})
