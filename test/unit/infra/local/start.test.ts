import { existsSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { expect, inject, onTestFinished, test } from 'vitest'
import { openDataFolder } from '../../../../infra/local/data-folder.ts'
import { createTables } from '../../../../infra/local/database/create-tables.ts'
import { startDynalite } from '../../../../infra/local/database/dynalite.ts'
import { deriveDemoKeys } from '../../../../infra/local/demo-keys.ts'
import { type LocalEnvironmentOptions, startLocalEnvironment } from '../../../../infra/local/environment.ts'
import { listen } from '../../../../infra/local/gateway/listen.ts'
import { connectToLocalDatabase } from '../../../../infra/operations/environment/local-database.ts'
import {
  findLocalEnvironment,
  requireLocalEnvironment,
} from '../../../../infra/operations/environment/local-environment-record.ts'
import { createSeededPet } from '../../../../infra/operations/seed/seeded-pet.ts'
import {
  openLocalKeys,
  sharedAssembly,
  spawnEnvironmentProcess,
  startEnvironmentProcess,
} from '../../../fixtures/local-environment.ts'
import { runNode } from '../../../fixtures/node-process.ts'
import { createTemporaryFolder } from '../../../fixtures/temporary-folder.ts'

const folder = createTemporaryFolder()
const demo = deriveDemoKeys('pet_test_')
const [{ apiKey, allowance } = { apiKey: '', allowance: undefined }] = demo
const headers = { Authorization: `Bearer ${apiKey}`, 'Content-Type': 'application/json' }
const lastSample = { name: createSeededPet(35).name }

/** In this process, until the test is finished. */
const start = async (name: string, options: Partial<LocalEnvironmentOptions> = {}) => {
  const place = { port: 0, assembly: sharedAssembly, dataFolder: join(folder, name) }
  const started = await startLocalEnvironment({ ...place, ...options })
  onTestFinished(started.stop)
  return started
}

const list = async (baseUrl: string, limit = 1) => {
  const response = await fetch(`${baseUrl}/pets?limit=${limit}`, { headers })
  return { pets: JSON.parse(await response.text()), limit: response.headers.get('X-RateLimit-Limit') }
}

test('npm start announces an API with samples and demo keys, does not start twice, and ends at Ctrl-C', async () => {
  const dataFolder = join(folder, 'process')
  const { child, output, errors, ended, baseUrl } = await startEnvironmentProcess({ dataFolder })
  for (const part of [baseUrl, ...demo.map((key) => key.apiKey)]) expect(output()).toContain(part)
  expect((await list(baseUrl, 100)).pets).toHaveLength(36)
  const again = spawnEnvironmentProcess({ dataFolder })
  expect([await again.ended, again.output()]).toEqual([1, ''])
  expect(again.errors()).toMatch(new RegExp(`^[^\\n]*process id ${child.pid}\\.[^\\n]*\\n$`))
  // Twice, as from a terminal with npm in between.
  child.kill('SIGTERM')
  child.kill('SIGINT')
  expect([await ended, errors()]).toEqual([0, ''])
  await expect(requireLocalEnvironment(dataFolder)).rejects.toThrow(/^No local environment runs on the data folder .*$/)
})

test('An environment says that its port is taken before anything slow', async () => {
  const server = createServer()
  const port = await listen(server, 0)
  await expect(start('never-made', { port })).rejects.toThrow(`Port ${port} is taken.`)
  expect(existsSync(join(folder, 'never-made'))).toBe(false)
  server.close()
})

test('An environment uses the DynamoDB that is named, and says where none responds', async () => {
  const dynamodb = inject('engines').at(-1)?.endpoint ?? ''
  const { baseUrl, databaseEndpoint } = await start('named', { dynamodb, fresh: true })
  expect(databaseEndpoint).toBe(dynamodb)
  expect((await list(baseUrl)).pets).toMatchObject([lastSample])
  const nowhere = 'http://127.0.0.1:1'
  await expect(start('nowhere', { dynamodb: nowhere })).rejects.toThrow(`No DynamoDB responds at ${nowhere}.`)
})

test('An environment whose first start was killed before its samples has them after the next one', async () => {
  const killed = join(folder, 'killed')
  await openDataFolder(killed, 1)
  // It never responded.
  expect(await findLocalEnvironment(killed)).toBeUndefined()
  const database = await startDynalite({ folder: killed })
  const client = connectToLocalDatabase(database.endpoint)
  await createTables(client, inject('tables'))
  client.destroy()
  await database.close()
  expect((await list((await start('killed')).baseUrl)).pets).toMatchObject([lastSample])
})

test('An environment keeps its own data, renews the limits of demo keys, and deletes all with --fresh', async () => {
  const [one, other] = await Promise.all([start('one'), start('other')])
  const body = JSON.stringify({ name: 'Only here', categoryId: 1 })
  expect((await fetch(`${one.baseUrl}/pets`, { method: 'POST', headers, body })).status).toBe(201)
  const keys = await openLocalKeys(join(folder, 'one'))
  await keys.move(apiKey, 'free', { perMinute: 7, perDay: 70 })
  expect(await list(one.baseUrl)).toMatchObject({ pets: [{ name: 'Only here' }], limit: '7' })
  expect((await list(other.baseUrl)).pets).toMatchObject([lastSample])
  await one.stop()
  for (const url of [one.baseUrl, one.databaseEndpoint]) await expect(fetch(url)).rejects.toThrow('fetch failed')
  const second = await start('one')
  const limit = String(allowance?.perMinute)
  expect(await list(second.baseUrl)).toMatchObject({ pets: [{ name: 'Only here' }], limit })
  await second.stop()
  expect((await list((await start('one', { fresh: true })).baseUrl)).pets).toMatchObject([lastSample])
})

const invoke = async (...words: readonly string[]) => {
  const { exitCode, output, errors } = await runNode(['infra/local/invoke.ts', ...words])
  return { exitCode, printed: output + errors }
}

test('npm run invoke prints the response to a recorded event, or where in the sources a function fails', async () => {
  await start('one')
  const words = ['--data', join(folder, 'one')]
  const { exitCode, printed } = await invoke('get-pet', 'test/events/get-pet.json', ...words)
  expect(exitCode).toBe(0)
  expect(JSON.parse(printed)).toMatchObject({ statusCode: 200, body: expect.stringContaining('categoryId') })
  const event = join(folder, 'event.json')
  writeFileSync(event, '{}')
  const failed = await invoke('authorizer', event, ...words)
  expect(failed.exitCode).toBe(1)
  expect(failed.printed).toMatch(/^ +at .*\(functions\/authorizer\/authorizer\.ts:\d+:\d+\)$/m)
  expect(failed.printed).toMatch(/^The function failed: Unauthorized$/m)
})

test.each([
  // It calls API Gateway itself.
  ['gateway-keys', 'test/events/list-pets.json', /^The API has no operation gateway-keys\. It has .*get-pet, .*\n$/],
  ['list-pets', 'nothing.json', /^nothing\.json is not a readable JSON file\..*\n$/],
])('npm run invoke %s %s says what to change', async (operation, file, sentence) => {
  expect(await invoke(operation, file)).toEqual({ exitCode: 1, printed: expect.stringMatching(sentence) })
})
