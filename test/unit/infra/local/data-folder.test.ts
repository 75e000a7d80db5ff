import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { dataFolderRecordFile, findLocalEnvironment } from '../../../../infra/commands/environment/local-environment.ts'
import { openDataFolder } from '../../../../infra/local/data-folder.ts'
import { createTemporaryFolder } from '../../../fixtures/machine/temporary-folder.ts'

let path: string
beforeEach(() => {
  path = join(createTemporaryFolder(), 'data')
})

/** Argument of `openDataFolder` for a fresh start. */
const fresh = true

test('a folder that contains something else is an error, even at a fresh start, and is not changed', () => {
  mkdirSync(join(path, 'thesis'), { recursive: true })

  expect(() => openDataFolder(path)).toThrow('is no data folder')
  expect(() => openDataFolder(path, fresh)).toThrow('is no data folder')

  expect(readdirSync(path)).toEqual(['thesis'])
})

test('an environment that has opened its data folder is not found before it responds', async () => {
  openDataFolder(path)

  expect(await findLocalEnvironment(path)).toBeUndefined()
})

test('a data folder whose path is a file is an error that says what to do', () => {
  writeFileSync(path, '')

  expect(() => openDataFolder(path)).toThrow(/cannot be used \(.*\)\. Choose another with --data\.$/)
})

test('a folder of another version is an error that names --fresh, and is of this version after a fresh start', () => {
  openDataFolder(path)
  const file = join(path, dataFolderRecordFile)
  // No version has the layout 0.
  writeFileSync(file, readFileSync(file, 'utf8').replace(/"layout": \d+/, '"layout": 0'))

  expect(() => openDataFolder(path)).toThrow('of another version of the local environment. Start with --fresh.')
  openDataFolder(path, fresh)

  expect(() => openDataFolder(path)).not.toThrow()
})
