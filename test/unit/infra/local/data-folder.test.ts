import { spawn } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { platform } from 'node:os'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { openDataFolder } from '../../../../infra/local/data-folder.ts'
import { listen } from '../../../../infra/local/gateway/listen.ts'
import {
  environmentFile,
  findRunningEnvironment,
  requireRunningEnvironment,
} from '../../../../infra/operations/target/environment-file.ts'
import { temporaryFolder } from './fixtures.ts'

const root = temporaryFolder()
let made = 0
let path: string
beforeEach(() => {
  made += 1
  path = join(root, `folder-${made}`)
})

/** As a process does that accepts connections on a port. */
const open = (options: { readonly fresh?: boolean; readonly port?: number } = {}) =>
  openDataFolder(path, { fresh: false, port: 1, ...options })

/** Listens in place of an environment or its database, until the test ends it. */
const startServer = async () => {
  const server = createServer()
  const port = await listen(server, 0)
  return { port, [Symbol.asyncDispose]: () => new Promise<void>((closed) => server.close(() => closed())) }
}

test.each([false, true])('A folder of something else is left as it is (fresh: %s)', async (fresh) => {
  mkdirSync(path)
  writeFileSync(join(path, 'thesis.txt'), 'years of work')
  await expect(open({ fresh })).rejects.toThrow('is not empty and is no data folder')
  expect(readdirSync(path)).toEqual(['thesis.txt'])
})

test.each<[what: string, prepare: () => unknown]>([
  ['a file', () => writeFileSync(path, '')],
  ['in no folder', () => (path = join(path, 'below'))],
  ...(platform() === 'linux'
    ? [['where no folder can be', () => (path = '/proc/pets')] satisfies [string, () => unknown]]
    : []),
])('A path that is %s is refused with what to do', async (_what, prepare) => {
  prepare()
  await expect(open()).rejects.toThrow(/^The folder .* cannot be used \(.*\)\. Choose another with --data\.$/)
})

test('A folder of another version is used with --fresh alone', async () => {
  await open()
  const file = join(path, environmentFile)
  writeFileSync(file, readFileSync(file, 'utf8').replace(/"layout": \d+/, '"layout": 0'))
  await expect(open()).rejects.toThrow('of another version of the local environment. Start with --fresh.')
  await open({ fresh: true })
  await open()
})

test('A folder is used by one process at a time, which accepts connections on its port', async () => {
  const other = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' })
  const server = await startServer()
  await open({ port: server.port })
  const file = join(path, environmentFile)
  writeFileSync(file, readFileSync(file, 'utf8').replace(String(process.pid), String(other.pid)))
  await expect(open({ fresh: true })).rejects.toThrow(`in use by the local environment with process id ${other.pid}`)
  // The process id belongs to another program by now: the port is ours, or nothing listens.
  await open({ port: server.port })
  writeFileSync(file, readFileSync(file, 'utf8').replace(String(process.pid), String(other.pid)))
  await server[Symbol.asyncDispose]()
  await open()
  other.kill('SIGKILL')
})

test('An environment is found once it responds and while its database does, and a command says where none is', async () => {
  expect(await findRunningEnvironment(path)).toBeUndefined()
  const setRunning = await open()
  expect(await findRunningEnvironment(path)).toBeUndefined()
  const database = await startServer()
  const environment = {
    baseUrl: 'http://127.0.0.1:3000/v1',
    databaseEndpoint: `http://127.0.0.1:${database.port}`,
    tables: { pets: 'p', apiKeys: 'a', idempotency: 'i' },
  }
  setRunning(environment)
  expect(await findRunningEnvironment(path)).toEqual(environment)
  await database[Symbol.asyncDispose]()
  await expect(requireRunningEnvironment(path)).rejects.toThrow(/^No local environment runs on the data folder .*$/)
})
