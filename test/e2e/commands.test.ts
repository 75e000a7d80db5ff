import { describe, expect, it } from 'vitest'
import { startNode } from '../fixtures/node-process.ts'
import { dataFolder, requireKeyAdministration } from './api.ts'

// The tests are skipped without a data folder.
const localDataFolder = dataFolder ?? ''

/** Starts a command on the local environment under test. */
const startCommand = (script: string, ...words: readonly string[]) =>
  startNode([`infra/operations/${script}/${script}.ts`, ...words, '--env', 'local', '--data', localDataFolder])

const listKeysOf = async (owner: string) => {
  const { keys } = await requireKeyAdministration().list()
  return keys.filter((key) => key.owner === owner)
}

describe.skipIf(dataFolder === undefined)('the commands', () => {
  it('npm run keys names a key that it could not print', async () => {
    const owner = `unread ${process.pid}`
    const { child, errors, ended } = startCommand('keys', 'issue', '--plan', 'free', '--owner', owner)
    child.stdout.destroy()

    expect(await ended).toBe(1)
    const [key] = await listKeysOf(owner)
    expect(errors()).toContain(`The API key ${key?.keyId} was issued, and nobody has seen it: "revoke ${key?.keyId}".`)
  })
})
