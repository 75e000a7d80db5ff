import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, test } from 'vitest'
import { demoKeys } from '../../../../infra/local/samples/demo-keys.ts'
import { samplePets } from '../../../../infra/local/samples/sample-pets.ts'
import { findRunningEnvironment } from '../../../../infra/operations/target/environment-file.ts'
import { temporaryFolder } from './fixtures.ts'
import { hasJava } from './java.ts'

const projectFolder = fileURLToPath(new URL('../../../../', import.meta.url))
const folder = temporaryFolder()
const dataFolder = join(folder, 'data')
const [freeKey] = demoKeys('pet_test_')
const headers = { Authorization: `Bearer ${freeKey?.apiKey}` }

interface Started {
  readonly child: ChildProcess
  /** What it has printed so far. */
  readonly output: () => string
  readonly errors: () => string
  readonly ended: Promise<number | null>
}

const children = new Set<ChildProcess>()
afterAll(() => {
  for (const child of children) child.kill('SIGKILL')
})

const run = (script: string, words: readonly string[], path?: string): Started => {
  const env = path === undefined ? process.env : { ...process.env, PATH: path }
  const child = spawn(process.execPath, [`infra/local/${script}.ts`, ...words], { cwd: projectFolder, env })
  children.add(child)
  let output = ''
  let errors = ''
  child.stdout.on('data', (chunk) => {
    output += chunk
  })
  child.stderr.on('data', (chunk) => {
    errors += chunk
  })
  const ended = once(child, 'close').then((): number | null => {
    children.delete(child)
    return child.exitCode
  })
  return { child, output: () => output, errors: () => errors, ended }
}

/** Milliseconds. */
const hanging = 240_000

/** Starts an environment and waits until it is ready. */
const start = async (words: readonly string[], data = dataFolder) => {
  const started = run('start', ['--port', '0', '--data', data, ...words])
  await Promise.race([
    expect.poll(started.output, { timeout: hanging }).toContain('Press Ctrl-C to stop.'),
    started.ended.then(() => {
      throw new Error(`It ended: ${started.errors()}`)
    }),
  ])
  const environment = await findRunningEnvironment(data)
  if (environment === undefined) throw new Error('It wrote no environment.json.')
  return { ...started, environment }
}

/** The message where the local environment cannot start: one line on standard error, with exit code 1. */
const startError = async (words: readonly string[], path?: string): Promise<string> => {
  const { ended, errors, output } = run('start', words, path)
  expect(await ended).toBe(1)
  expect(output()).toBe('')
  expect(errors()).toMatch(/^[^\n]+\n$/)
  return errors()
}

describe('npm start says in one line what to change', () => {
  test('for a port that is taken, before anything slow', async () => {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const address = server.address()
    const port = typeof address === 'object' ? address?.port : undefined
    const data = join(folder, 'never-made')
    expect(await startError(['--port', String(port), '--data', data])).toContain(`Port ${port} is taken.`)
    expect(existsSync(data)).toBe(false)
    server.close()
  })

  test('for a data folder that is a file', async () => {
    const file = join(folder, 'file')
    writeFileSync(file, '')
    expect(await startError(['--port', '0', '--data', file])).toContain(`${file} is not a folder.`)
  })

  test('for --fresh on a folder of something else', async () => {
    const other = join(folder, 'other')
    mkdirSync(other)
    writeFileSync(join(other, 'thesis.txt'), '')
    expect(await startError(['--port', '0', '--data', other, '--fresh'])).toContain(
      'is not empty and is no data folder',
    )
    expect(existsSync(join(other, 'thesis.txt'))).toBe(true)
  })

  test('for a missing Java', async () => {
    const words = ['--port', '0', '--data', join(folder, 'java'), '--engine', 'dynamodb-local']
    expect(await startError(words, join(folder, 'empty'))).toContain(
      'needs Java 17 or newer on the PATH; there is none.',
    )
  })

  test.skipIf(process.platform === 'win32')('for a Java that is too old', async () => {
    const bin = join(folder, 'bin')
    mkdirSync(bin)
    writeFileSync(join(bin, 'java'), '#!/bin/sh\necho \'openjdk version "1.8.0_402"\' >&2\n', { mode: 0o755 })
    const words = ['--port', '0', '--data', join(folder, 'java'), '--engine', 'dynamodb-local']
    const path = [bin, '/usr/bin', '/bin'].join(delimiter)
    expect(await startError(words, path)).toContain('there is Java 8.')
  })
})

describe('A local environment', () => {
  test('serves the samples to its demo keys, and stops on SIGTERM after its last response', async () => {
    const { child, output, errors, ended, environment } = await start([])
    const { baseUrl, port } = environment
    expect(output()).toContain(baseUrl)
    for (const { apiKey } of demoKeys('pet_test_')) expect(output()).toContain(apiKey)

    const listed = await fetch(`${baseUrl}/pets?limit=100`, { headers })
    expect(listed.status).toBe(200)
    expect(await listed.json()).toHaveLength(samplePets.length)
    expect((await fetch(`${baseUrl}/pets`)).status).toBe(401)

    // Held up in the middle of its body, so that the signal comes while it is under way.
    const body = '{"name":"Late","categoryId":1}'
    const socket = connect(port, '127.0.0.1')
    let response = ''
    socket.on('data', (chunk) => {
      response += chunk
    })
    const closed = once(socket, 'close')
    const head = `Host: a\r\nContent-Type: application/json\r\nAuthorization: ${headers.Authorization}\r\nContent-Length: ${body.length}`
    socket.write(`POST /v1/pets HTTP/1.1\r\n${head}\r\n\r\n${body.slice(0, 5)}`)
    await new Promise((resolve) => setTimeout(resolve, 100))
    // Twice, as from a terminal with npm in between.
    child.kill('SIGTERM')
    child.kill('SIGINT')
    const isListening = () =>
      fetch(baseUrl).then(
        () => true,
        () => false,
      )
    await expect.poll(isListening, { timeout: hanging }).toBe(false)
    socket.write(body.slice(5))
    await closed
    expect(response).toContain('HTTP/1.1 201 Created')
    expect(await ended).toBe(0)
    expect(errors()).toBe('')
    expect(await findRunningEnvironment(dataFolder)).toBeUndefined()
  })

  test('keeps its data after a restart and after kill -9, and does not start twice', async () => {
    const first = await start([])
    const listed = await fetch(`${first.environment.baseUrl}/pets?limit=1`, { headers })
    expect(await listed.json()).toMatchObject([{ name: 'Late' }])
    expect(await startError(['--port', '0', '--data', dataFolder])).toContain(`process id ${first.child.pid}`)

    const { databaseEndpoint, baseUrl } = first.environment
    first.child.kill('SIGKILL')
    await first.ended
    await expect(fetch(databaseEndpoint)).rejects.toThrow()
    await expect(fetch(baseUrl)).rejects.toThrow()

    const second = await start([])
    const again = await fetch(`${second.environment.baseUrl}/pets?limit=1`, { headers })
    expect(await again.json()).toMatchObject([{ name: 'Late' }])
    second.child.kill('SIGINT')
    expect(await second.ended).toBe(0)
  })

  test('starts without the data with --fresh', async () => {
    const { child, ended, environment } = await start(['--fresh'])
    const listed = await fetch(`${environment.baseUrl}/pets?limit=1`, { headers })
    expect(await listed.json()).toMatchObject([{ name: samplePets.at(-1)?.name }])
    child.kill('SIGTERM')
    await ended
  })

  test.skipIf(!hasJava)('with DynamoDB Local leaves no Java running after kill -9', async () => {
    const { child, ended, environment } = await start(['--engine', 'dynamodb-local'])
    expect((await fetch(`${environment.baseUrl}/pets`, { headers })).status).toBe(200)
    child.kill('SIGKILL')
    await ended
    const isListening = () =>
      fetch(environment.databaseEndpoint).then(
        () => true,
        () => false,
      )
    await expect.poll(isListening, { timeout: hanging }).toBe(false)
  })
})

describe('npm run invoke', () => {
  const event = join(projectFolder, 'test/events/list-pets.json')

  test('prints the response to a recorded event, from the local tables', async () => {
    const { output, ended } = run('invoke', ['list-pets', event, '--data', dataFolder])
    expect(await ended).toBe(0)
    expect(JSON.parse(output())).toMatchObject({ statusCode: 200, body: expect.stringContaining('categoryId') })
  })

  test.each([
    ['an unknown operation', ['adopt', event], 'There is no operation adopt. It must be authorizer, create-pet'],
    ['a mistyped operation', ['get-pte', event], 'There is no operation get-pte. Did you mean get-pet?'],
    ['a file that is not there', ['list-pets', 'nothing.json'], 'nothing.json is not a readable JSON file.'],
  ])('says in one line what to change for %s', async (_name, words, sentence) => {
    const { errors, ended } = run('invoke', [...words, '--data', dataFolder])
    expect(await ended).toBe(1)
    expect(errors()).toMatch(/^[^\n]+\n$/)
    expect(errors()).toContain(sentence)
  })
})
