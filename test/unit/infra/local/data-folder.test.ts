import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { dataFolderRecordFile, findLocalEnvironment } from '../../../../infra/commands/environment/local-environment.ts'
import { openDataFolder } from '../../../../infra/local/data-folder.ts'
import { createTemporaryFolder } from '../../../fixtures/machine/temporary-folder.ts'

let path: string
beforeEach(() => {
  path = join(createTemporaryFolder(), 'data')
})

/** Argument of `openDataFolder` for a fresh start. */
const fresh = true

/** Edits the record in the data folder. */
const editRecord = (part: RegExp, replacement: string): void => {
  const file = join(path, dataFolderRecordFile)
  writeFileSync(file, readFileSync(file, 'utf8').replace(part, replacement))
}

describe('a folder that contains something else', () => {
  beforeEach(() => {
    mkdirSync(join(path, 'thesis'), { recursive: true })
  })

  test('a folder that contains something else is an error, and is not changed', () => {
    expect(() => openDataFolder(path)).toThrow('is no data folder')

    expect(readdirSync(path)).toEqual(['thesis'])
  })

  test('a folder that contains something else is an error at a fresh start, and is not changed', () => {
    expect(() => openDataFolder(path, fresh)).toThrow('is no data folder')

    expect(readdirSync(path)).toEqual(['thesis'])
  })
})

test('an environment that has opened its data folder is not found before it responds', async () => {
  openDataFolder(path)

  expect(await findLocalEnvironment(path)).toBeUndefined()
})

test('a data folder whose path is a file is an error that says what to do', () => {
  writeFileSync(path, '')

  expect(() => openDataFolder(path)).toThrow(/cannot be used \(.*\)\. Choose another with --data\.$/)
})

describe('a folder of another version', () => {
  beforeEach(() => {
    openDataFolder(path)
    editRecord(/"layout": \d+/, '"layout": 0')
  })

  test('a folder of another version is an error that names the option to use', () => {
    expect(() => openDataFolder(path)).toThrow('of another version of the local environment. Start with --fresh.')
  })

  test('a folder of another version is of this version after a fresh start', () => {
    openDataFolder(path, fresh)

    expect(() => openDataFolder(path)).not.toThrow()
  })
})
