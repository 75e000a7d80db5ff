import { once } from 'node:events'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { openDataFolder } from '../../../../infra/local/data-folder.ts'
import { listen } from '../../../../infra/local/gateway/listen.ts'
import { dataFolderRecordFile } from '../../../../infra/operations/environment/local-environment-record.ts'
import { createTemporaryFolder } from '../../../fixtures/temporary-folder.ts'

let path: string
beforeEach(() => {
  path = join(createTemporaryFolder(), 'data')
})

/** As a process does that accepts connections on a port. */
const open = ({ fresh = false, port = 1 } = {}) => openDataFolder(path, port, fresh)

/** Changes the file that the folder has. */
const changeFile = (part: RegExp, replacement: string): void => {
  const file = join(path, dataFolderRecordFile)
  writeFileSync(file, readFileSync(file, 'utf8').replace(part, replacement))
}

test('A folder of something else is refused and left as it is, also with --fresh', async () => {
  mkdirSync(join(path, 'thesis'), { recursive: true })
  for (const fresh of [false, true]) await expect(open({ fresh })).rejects.toThrow('is no data folder')
  expect(readdirSync(path)).toEqual(['thesis'])
})

test.each<[what: string, prepare: () => unknown]>([
  ['that is a file', () => writeFileSync(path, '')],
  ['in no folder', () => (path = join(path, 'below'))],
  ['where none can be', () => (path = '/proc/pets/0')],
])('A folder %s is refused with what to do', async (_what, prepare) => {
  prepare()
  await expect(open()).rejects.toThrow(/cannot be used \(.*\)\. Choose another with --data\.$/)
})

test('A folder of another version is used with --fresh alone', async () => {
  await open()
  changeFile(/"layout": \d+/, '"layout": 0')
  await expect(open()).rejects.toThrow('of another version of the local environment. Start with --fresh.')
  await open({ fresh: true })
  await open()
})

test('A folder is used by one process at a time, which accepts connections on its port', async () => {
  const server = createServer()
  const port = await listen(server, 0)
  const takeOver = () => changeFile(/"pid": \d+/, `"pid": ${process.ppid}`)
  await open({ port })
  takeOver()
  await expect(open({ fresh: true })).rejects.toThrow(`in use by the local environment with process id ${process.ppid}`)
  // The process id belongs to another program by now: the port is ours, or nothing listens.
  await open({ port })
  takeOver()
  await once(server.close(), 'close')
  await open()
})
