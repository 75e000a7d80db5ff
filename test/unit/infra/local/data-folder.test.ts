import { once } from 'node:events'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openDataFolder } from '../../../../infra/local/data-folder.ts'
import { listen } from '../../../../infra/local/gateway/listen.ts'
import { dataFolderRecordFile } from '../../../../infra/local/record/local-environment-record.ts'
import { createTemporaryFolder } from '../../../fixtures/temporary-folder.ts'

let path: string
beforeEach(() => {
  path = join(createTemporaryFolder(), 'data')
})

/** A port on which no process of this machine accepts connections. */
const unusedPort = 1

/** Argument of `openDataFolder` for a fresh start. */
const fresh = true

/** Edits the record in the data folder. */
const editRecord = (part: RegExp, replacement: string): void => {
  const file = join(path, dataFolderRecordFile)
  writeFileSync(file, readFileSync(file, 'utf8').replace(part, replacement))
}

describe('A folder that contains something else', () => {
  beforeEach(() => {
    mkdirSync(join(path, 'thesis'), { recursive: true })
  })

  test('A folder that contains something else is an error, and is not changed', async () => {
    await expect(openDataFolder(path, unusedPort)).rejects.toThrow('is no data folder')

    expect(readdirSync(path)).toEqual(['thesis'])
  })

  test('A folder that contains something else is an error at a fresh start, and is not changed', async () => {
    await expect(openDataFolder(path, unusedPort, fresh)).rejects.toThrow('is no data folder')

    expect(readdirSync(path)).toEqual(['thesis'])
  })
})

const unusableFolder = /cannot be used \(.*\)\. Choose another with --data\.$/

test('A data folder whose path is a file is an error that says what to do', async () => {
  writeFileSync(path, '')

  await expect(openDataFolder(path, unusedPort)).rejects.toThrow(unusableFolder)
})

test('A data folder in a folder that does not exist is an error that says what to do', async () => {
  await expect(openDataFolder(join(path, 'below'), unusedPort)).rejects.toThrow(unusableFolder)
})

test('A data folder that the system does not let the process create is an error that says what to do', async () => {
  await expect(openDataFolder('/proc/pets/0', unusedPort)).rejects.toThrow(unusableFolder)
})

describe('A folder of another version', () => {
  beforeEach(async () => {
    await openDataFolder(path, unusedPort)
    editRecord(/"layout": \d+/, '"layout": 0')
  })

  test('A folder of another version is an error that names the option to use', async () => {
    await expect(openDataFolder(path, unusedPort)).rejects.toThrow(
      'of another version of the local environment. Start with --fresh.',
    )
  })

  test('A folder of another version is of this version after a fresh start', async () => {
    await openDataFolder(path, unusedPort, fresh)

    await expect(openDataFolder(path, unusedPort)).resolves.toBeInstanceOf(Function)
  })
})

describe('A data folder whose record names another process that runs', () => {
  let server: Server
  let port: number
  beforeEach(async () => {
    server = createServer()
    port = await listen(server, 0)
    await openDataFolder(path, port)
    editRecord(/"pid": \d+/, `"pid": ${process.ppid}`)
  })

  afterEach(() => {
    server.close()
  })

  test('A data folder is in use while its process accepts connections on the port of its record', async () => {
    await expect(openDataFolder(path, unusedPort, fresh)).rejects.toThrow(
      `in use by the local environment with process id ${process.ppid}`,
    )
  })

  test('A data folder is free if this process has the port of its record', async () => {
    await expect(openDataFolder(path, port)).resolves.toBeInstanceOf(Function)
  })

  test('A data folder is free if no process accepts connections on the port of its record', async () => {
    await once(server.close(), 'close')

    await expect(openDataFolder(path, unusedPort)).resolves.toBeInstanceOf(Function)
  })
})
