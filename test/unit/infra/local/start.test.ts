import { once } from 'node:events'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { demoKeys } from '../../../../infra/local/samples/demo-keys.ts'
import { samplePets } from '../../../../infra/local/samples/sample-pets.ts'
import { findLocalKeys } from '../../../../infra/operations/keys/local-keys.ts'
import { findRunningEnvironment } from '../../../../infra/operations/target/environment-file.ts'
import { startEnvironment } from '../../../fixtures/environment-process.ts'
import { startNode } from '../../../fixtures/node-process.ts'
import { temporaryFolder } from './fixtures.ts'
import { hasJava } from './java.ts'

const projectFolder = fileURLToPath(new URL('../../../../', import.meta.url))
const folder = temporaryFolder()
const dataFolder = join(folder, 'data')
const [freeKey] = demoKeys('pet_test_')
const headers = { Authorization: `Bearer ${freeKey?.apiKey}` }

const start = (...words: readonly string[]) => startEnvironment({ dataFolder, words })

const run = (script: string, words: readonly string[], PATH = process.env['PATH']) =>
  startNode([`infra/local/${script}.ts`, ...words], { environment: { ...process.env, PATH } })

const firstPet = async (baseUrl: string): Promise<unknown> => {
  const response = await fetch(`${baseUrl}/pets?limit=1`, { headers })
  return JSON.parse(await response.text())
}

const isListening = (url: string): Promise<boolean> =>
  fetch(url).then(
    () => true,
    () => false,
  )

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
  test('serves the samples to its demo keys, does not start twice, and after kill -9 keeps its data and renews the limits of the demo keys', async () => {
    const { child, output, ended, environment } = await start()
    const { baseUrl, databaseEndpoint } = environment
    expect(output()).toContain(baseUrl)
    for (const { apiKey } of demoKeys('pet_test_')) expect(output()).toContain(apiKey)
    const listed = await fetch(`${baseUrl}/pets?limit=100`, { headers })
    expect(JSON.parse(await listed.text())).toHaveLength(samplePets.length)
    expect((await fetch(`${baseUrl}/pets`)).status).toBe(401)
    const body = JSON.stringify({ name: 'Kept', categoryId: 1 })
    const post = { method: 'POST', headers: { ...headers, 'Content-Type': 'application/json' }, body }
    expect((await fetch(`${baseUrl}/pets`, post)).status).toBe(201)
    expect(await startError(['--port', '0', '--data', dataFolder])).toContain(`process id ${child.pid}`)

    const keys = await findLocalKeys(dataFolder)
    await keys.move(String(freeKey?.apiKey), 'free', { perMinute: 7, perDay: 70 })
    child.kill('SIGKILL')
    await ended
    expect([await isListening(databaseEndpoint), await isListening(baseUrl)]).toEqual([false, false])
    const second = await start()
    expect(await firstPet(second.baseUrl)).toMatchObject([{ name: 'Kept' }])
    const limits = await fetch(`${second.baseUrl}/pets`, { headers })
    expect(limits.headers.get('X-RateLimit-Limit')).toBe(String(freeKey?.allowance.perMinute))
    // Twice, as from a terminal with npm in between.
    second.child.kill('SIGTERM')
    second.child.kill('SIGINT')
    expect(await second.ended).toBe(0)
    expect(second.errors()).toBe('')
    expect(await findRunningEnvironment(dataFolder)).toBeUndefined()
  })

  test('starts without the data with --fresh', async () => {
    const { child, ended, baseUrl } = await start('--fresh')
    expect(await firstPet(baseUrl)).toMatchObject([{ name: samplePets.at(-1)?.name }])
    child.kill('SIGTERM')
    await ended
  })

  test.skipIf(!hasJava)('with DynamoDB Local leaves no Java running after kill -9', async () => {
    const { child, ended, environment, baseUrl } = await start('--engine', 'dynamodb-local')
    expect(await firstPet(baseUrl)).toHaveLength(1)
    child.kill('SIGKILL')
    await ended
    await expect.poll(() => isListening(environment.databaseEndpoint)).toBe(false)
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
    ['an unknown operation', ['adopt', event], 'There is no operation adopt. It must be authorizer, '],
    ['a mistyped operation', ['get-pte', event], 'There is no operation get-pte. Did you mean get-pet?'],
    ['a file that is not there', ['list-pets', 'nothing.json'], 'nothing.json is not a readable JSON file.'],
  ])('says in one line what to change for %s', async (_name, words, sentence) => {
    const { errors, ended } = run('invoke', [...words, '--data', dataFolder])
    expect(await ended).toBe(1)
    expect(errors()).toMatch(/^[^\n]+\n$/)
    expect(errors()).toContain(sentence)
  })
})
