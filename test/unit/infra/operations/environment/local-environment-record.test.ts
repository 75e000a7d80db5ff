import { createServer } from 'node:net'
import { platform } from 'node:process'
import { expect, onTestFinished, test } from 'vitest'
import { listen } from '../../../../../infra/local/gateway/listen.ts'
import {
  findLocalEnvironment,
  writeDataFolderRecord,
} from '../../../../../infra/operations/environment/local-environment-record.ts'
import { createTemporaryFolder } from '../../../../fixtures/temporary-folder.ts'

/** Writes the record of an environment that this process runs on a database. */
const recordEnvironment = (databaseEndpoint: string): string => {
  const dataFolder = createTemporaryFolder()
  writeDataFolderRecord(dataFolder, {
    layout: 0,
    holder: { pid: process.pid, port: undefined },
    environment: { tables: { pets: 'p', apiKeys: 'a', idempotency: 'i' }, baseUrl: '', databaseEndpoint },
  })
  return dataFolder
}

// Only Linux has all addresses of 127.0.0.0/8.
test.skipIf(platform !== 'linux')('an environment whose database is on another host is found', async () => {
  const server = createServer((socket) => socket.destroy())
  onTestFinished(() => {
    server.close()
  })
  const port = await listen(server, 0, '127.0.0.2')
  const databaseEndpoint = `http://127.0.0.2:${port}`

  const environment = await findLocalEnvironment(recordEnvironment(databaseEndpoint))

  expect(environment).toMatchObject({ databaseEndpoint })
})

test.each(['http://[::1]', 'https://127.0.0.1', 'http://nothing.invalid:8000'])(
  'an environment whose database at %s does not respond is not found',
  async (databaseEndpoint) => {
    expect(await findLocalEnvironment(recordEnvironment(databaseEndpoint))).toBeUndefined()
  },
)
