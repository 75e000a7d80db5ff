import { spawnSync } from 'node:child_process'
import { createServer } from 'node:net'
import { execPath, pid } from 'node:process'
import { expect, onTestFinished, test } from 'vitest'
import {
  findLocalEnvironment,
  writeDataFolderRecord,
} from '../../../../../infra/commands/environment/local-environment.ts'
import { listen } from '../../../../../infra/local/gateway/listen.ts'
import { createTemporaryFolder } from '../../../../fixtures/machine/temporary-folder.ts'

/** Writes the record of an environment that runs on a database. @returns its data folder */
const recordEnvironment = (databaseEndpoint: string, processId = pid): string => {
  const dataFolder = createTemporaryFolder()
  writeDataFolderRecord(dataFolder, {
    layout: 0,
    environment: {
      processId,
      tables: { pets: 'p', apiKeys: 'k', idempotency: 'i', audit: 'a', listings: 'l' },
      baseUrl: '',
      databaseEndpoint,
    },
  })
  return dataFolder
}

/** Accepts connections on an address of this machine, until the test is finished. @returns the port */
const acceptConnections = (host: string): Promise<number> => {
  const server = createServer((socket) => socket.destroy())
  onTestFinished(() => {
    server.close()
  })
  return listen(server, 0, host)
}

test('an environment whose database does not respond is not found', async () => {
  const databaseEndpoint = 'http://nothing.invalid:8000'

  expect(await findLocalEnvironment(recordEnvironment(databaseEndpoint))).toBeUndefined()
})

test('an environment whose process has ended is not found, although its database still responds', async () => {
  const databaseEndpoint = `http://127.0.0.1:${await acceptConnections('127.0.0.1')}`
  const endedProcess = spawnSync(execPath, ['--version'])

  expect(await findLocalEnvironment(recordEnvironment(databaseEndpoint, endedProcess.pid))).toBeUndefined()
})
