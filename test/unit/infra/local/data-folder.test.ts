import { spawn } from 'node:child_process'
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { openDataFolder } from '../../../../infra/local/data-folder.ts'
import { listen } from '../../../../infra/local/gateway/listen.ts'
import {
  findRunningEnvironment,
  type RunningEnvironment,
  removeEnvironmentFile,
  requireRunningEnvironment,
  writeEnvironmentFile,
} from '../../../../infra/operations/target/environment-file.ts'
import { temporaryFolder } from './fixtures.ts'

const root = temporaryFolder()
let made = 0
const newPath = (): string => {
  made += 1
  return join(root, `folder-${made}`)
}

const open = (path: string, fresh = false) => openDataFolder(path, { fresh, port: undefined })

/** Listens in place of a database, until the test ends it. */
const startDatabase = async () => {
  const server = createServer()
  const port = await listen(server, 0)
  return {
    endpoint: `http://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: () => new Promise<void>((closed) => server.close(() => closed())),
  }
}

describe('A data folder', () => {
  test.each([false, true])('is never a folder of something else (fresh: %s)', async (fresh) => {
    const path = newPath()
    mkdirSync(path)
    writeFileSync(join(path, 'thesis.txt'), 'years of work')
    await expect(open(path, fresh)).rejects.toThrow('is not empty and is no data folder')
    expect(readdirSync(path)).toEqual(['thesis.txt'])
  })

  test.each(['', '/below'])('is not a file (%s)', async (below) => {
    const path = newPath()
    writeFileSync(path, '')
    await expect(open(path + below)).rejects.toThrow('is not a folder. Choose another with --data.')
  })

  test('is used by one process at a time, which accepts connections on its port', async () => {
    const path = newPath()
    ;(await open(path)).release()
    const other = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' })
    const database = await startDatabase()
    const holder = { pid: other.pid, port: Number(new URL(database.endpoint).port) }
    writeFileSync(join(path, 'lock.json'), JSON.stringify(holder))
    await expect(open(path, true)).rejects.toThrow(`in use by the local environment with process id ${other.pid}`)
    await database[Symbol.asyncDispose]()
    // The process id may belong to another program by now: nothing listens.
    await open(path)
    other.kill('SIGKILL')
  })
})

describe('The file of a running environment', () => {
  const environment: RunningEnvironment = {
    pid: process.pid,
    port: 3000,
    baseUrl: 'http://127.0.0.1:3000/v1',
    databaseEndpoint: 'http://127.0.0.1:4000',
    tables: { pets: 'p', apiKeys: 'a', idempotency: 'i' },
  }

  test('is found while its database listens, and can be removed', async () => {
    const path = newPath()
    mkdirSync(path)
    expect(await findRunningEnvironment(path)).toBeUndefined()
    await using database = await startDatabase()
    const running = { ...environment, databaseEndpoint: database.endpoint }
    writeEnvironmentFile(path, running)
    expect(await findRunningEnvironment(path)).toEqual(running)
    removeEnvironmentFile(path)
    expect(readdirSync(path)).toEqual([])
  })

  test('is ignored when its process id belongs to another program, and a command says so in a sentence', async () => {
    const path = newPath()
    mkdirSync(path)
    const database = await startDatabase()
    await database[Symbol.asyncDispose]()
    writeEnvironmentFile(path, { ...environment, databaseEndpoint: database.endpoint })
    expect(await findRunningEnvironment(path)).toBeUndefined()
    await expect(requireRunningEnvironment(path)).rejects.toThrow(/^No local environment runs on the data folder .*$/)
  })
})
