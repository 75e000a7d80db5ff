import { existsSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { describe, expect, inject, test } from 'vitest'
import { openDataFolder } from '../../../../infra/local/data-folder.ts'
import { createTables } from '../../../../infra/local/database/create-tables.ts'
import { startDynalite } from '../../../../infra/local/database/dynalite.ts'
import { demoKeys } from '../../../../infra/local/demo-keys.ts'
import { startLocalEnvironment } from '../../../../infra/local/environment.ts'
import { listen } from '../../../../infra/local/gateway/listen.ts'
import { seededPet } from '../../../../infra/operations/seed/seeded-pet.ts'
import { findRunningEnvironment } from '../../../../infra/operations/target/environment-file.ts'
import { connect } from '../../../../infra/operations/target/local-database.ts'
import { sharedAssembly } from '../../../fixtures/assembly.ts'
import { findLocalKeys, startEnvironment } from '../../../fixtures/environment-process.ts'
import { startNode } from '../../../fixtures/node-process.ts'
import { temporaryFolder } from './fixtures.ts'

const folder = temporaryFolder()
const dataFolder = join(folder, 'data')
const [freeKey] = demoKeys('pet_test_')
const headers = { Authorization: `Bearer ${freeKey?.apiKey}` }

const start = (...words: readonly string[]) => startEnvironment({ dataFolder, words })

const run = (script: string, words: readonly string[]) => startNode([`infra/local/${script}.ts`, ...words])

const firstPet = async (baseUrl: string): Promise<unknown> => {
  const response = await fetch(`${baseUrl}/pets?limit=1`, { headers })
  return JSON.parse(await response.text())
}

const addPet = async (baseUrl: string, name: string): Promise<number> => {
  const typed = { ...headers, 'Content-Type': 'application/json' }
  const body = JSON.stringify({ name, categoryId: 1 })
  return (await fetch(`${baseUrl}/pets`, { method: 'POST', headers: typed, body })).status
}

const isListening = (url: string): Promise<boolean> =>
  fetch(url).then(
    () => true,
    () => false,
  )

describe('A local environment', () => {
  test('serves the samples to its demo keys, does not start twice, and after kill -9 keeps its data and renews the limits of the demo keys', async () => {
    const { child, output, ended, environment } = await start()
    const { baseUrl, databaseEndpoint } = environment
    expect(output()).toContain(baseUrl)
    for (const { apiKey } of demoKeys('pet_test_')) expect(output()).toContain(apiKey)
    const listed = await fetch(`${baseUrl}/pets?limit=100`, { headers })
    expect(JSON.parse(await listed.text())).toHaveLength(36)
    expect((await fetch(`${baseUrl}/pets`)).status).toBe(401)
    expect(await addPet(baseUrl, 'Kept')).toBe(201)
    const again = run('start', ['--port', '0', '--data', dataFolder])
    expect([await again.ended, again.output()]).toEqual([1, ''])
    expect(again.errors()).toMatch(new RegExp(`^[^\\n]*process id ${child.pid}\\.[^\\n]*\\n$`))

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

  test('says that its port is taken in one line, before anything slow', async () => {
    const server = createServer()
    const port = await listen(server, 0)
    const data = join(folder, 'never-made')
    const { ended, errors } = run('start', ['--port', String(port), '--data', data])
    expect([await ended, existsSync(data)]).toEqual([1, false])
    expect(errors()).toMatch(new RegExp(`^Port ${port} is taken\\.[^\\n]*\\n$`))
    server.close()
  })

  test('uses the DynamoDB that --dynamodb names, and says where none responds', async () => {
    const engine = inject('engines').findLast(({ endpoint }) => endpoint !== null)
    await using first = await start('--dynamodb', engine?.endpoint ?? '', '--fresh')
    expect(first.environment.databaseEndpoint).toBe(engine?.endpoint)
    expect(await firstPet(first.baseUrl)).toHaveLength(1)
    await first.stop()
    const { ended, errors } = run('start', ['--port', '0', '--data', dataFolder, '--dynamodb', 'http://127.0.0.1:1'])
    expect([await ended, errors()]).toEqual([
      1,
      'No DynamoDB responds at http://127.0.0.1:1. Start it, or leave out --dynamodb.\n',
    ])
  })
})

describe('npm run invoke', () => {
  test('prints the response to a recorded event, from the local tables', async () => {
    const { output, ended } = run('invoke', ['get-pet', 'test/events/get-pet.json', '--data', dataFolder])
    expect(await ended).toBe(0)
    expect(JSON.parse(output())).toMatchObject({ statusCode: 200, body: expect.stringContaining('categoryId') })
  })

  test('names the place in the sources where a function fails', async () => {
    const event = join(folder, 'event.json')
    writeFileSync(event, '{}')
    const { ended, errors } = run('invoke', ['authorizer', event, '--data', dataFolder])
    expect(await ended).toBe(1)
    expect(errors()).toMatch(/^ +at .*\(functions\/authorizer\/authorizer\.ts:\d+:\d+\)$/m)
    expect(errors()).toMatch(/^The function failed: Unauthorized$/m)
  })

  test.each([
    // It calls API Gateway itself.
    [
      ['gateway-keys', 'test/events/list-pets.json'],
      /^The API has no operation gateway-keys\. It has .*get-pet, .*\n$/,
    ],
    [['list-pets', 'nothing.json'], /^nothing\.json is not a readable JSON file\..*\n$/],
  ])('says what to change in %s', async (words, sentence) => {
    const { ended, errors } = run('invoke', words)
    expect([await ended, errors()]).toEqual([1, expect.stringMatching(sentence)])
  })
})

test('An environment whose first start was killed before its samples has them after the next one', async () => {
  const killed = join(folder, 'killed')
  await openDataFolder(killed, 1)
  const database = await startDynalite({ folder: killed })
  const client = connect(database.endpoint)
  await createTables(client, inject('tables'))
  client.destroy()
  await database.close()
  const started = await startLocalEnvironment({ port: 0, assembly: sharedAssembly, dataFolder: killed })
  expect(await firstPet(started.baseUrl)).toMatchObject([{ name: seededPet(35).name }])
  await started.stop()
})

test('An environment runs beside another in one process, each with its own data, which --fresh deletes', async () => {
  const startIn = (name: string, fresh = false) => {
    const quiet = { port: 0, assembly: sharedAssembly, writeLine: () => {} }
    return startLocalEnvironment({ ...quiet, dataFolder: join(folder, name), fresh })
  }
  const [one, other] = await Promise.all([startIn('one'), startIn('other')])
  expect(await addPet(one.baseUrl, 'Only here')).toBe(201)
  expect(await firstPet(one.baseUrl)).toMatchObject([{ name: 'Only here' }])
  await Promise.all([one.stop(), other.stop()])
  expect(await Promise.all([one.baseUrl, one.databaseEndpoint].map(isListening))).toEqual([false, false])
  for (const started of [await startIn('one', true), await startIn('other')]) {
    expect(await firstPet(started.baseUrl)).toMatchObject([{ name: seededPet(35).name }])
    await started.stop()
  }
})
