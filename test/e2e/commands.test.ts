import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { getAuditFile } from '../../infra/operations/environment/audit-trail.ts'
import { smokeOwner } from '../../infra/operations/keys/key.ts'
import { startNode } from '../fixtures/node-process.ts'
import { dataFolder, isSmokeTest, requireKeyAdministration } from './api.ts'

// The tests are skipped without a data folder.
const localDataFolder = dataFolder ?? ''

/** Starts a command on the local environment under test. */
const startCommand = (script: string, ...words: readonly string[]) =>
  startNode([`infra/operations/${script}/${script}.ts`, ...words, '--env', 'local', '--data', localDataFolder])

const listKeysOf = async (owner: string) => {
  const { keys } = await requireKeyAdministration().list()
  return keys.filter((key) => key.owner === owner)
}

const listActiveSmokeKeys = async () => {
  const keys = await listKeysOf(smokeOwner)
  return keys.filter(({ state }) => state === 'active')
}

const readAudit = (): string => readFileSync(getAuditFile(localDataFolder), 'utf8')

// A smoke test does not test itself. test/deployed runs one to its end.
describe.skipIf(dataFolder === undefined || isSmokeTest)('the commands', () => {
  it('npm run keys issues no key that it cannot print', async () => {
    const owner = `unread ${process.pid}`
    const { child, errors, ended } = startCommand('keys', 'issue', '--plan', 'free', '--owner', owner)
    child.stdout.destroy()

    expect(await ended).toBe(1)
    const message = /^Nothing reads the output any more\. The new API key key_\w+ was not issued\.$/m
    expect(errors()).toMatch(message)
    expect(await listKeysOf(owner)).toEqual([])

    const [attempt, failure, ...others] = readAudit()
      .split('\n')
      .filter((line) => line.includes(owner))
      .map((line) => JSON.parse(line))
    expect(attempt).toMatchObject({ outcome: 'begun' })
    expect(failure, 'the audit records the failure').toMatchObject({
      outcome: 'failed',
      reason: expect.stringMatching(message),
    })
    expect(others).toEqual([])
  })

  it('npm run smoke revokes its keys and ends with 130 at Ctrl-C', async () => {
    const { child, ended, errors } = startCommand('smoke', '--only', 'a key over its limit')
    await expect.poll(listActiveSmokeKeys).toHaveLength(1)

    child.kill('SIGINT')

    expect(await ended).toBe(130)
    expect(errors()).toMatch(/Interrupted\. The keys are revoked\.\n$/)
    expect(await listActiveSmokeKeys()).toEqual([])
    // The audit has each key of the run.
    const [key] = await listKeysOf(smokeOwner)
    expect(readAudit()).toContain(`"action":"keys issue","ids":["${key?.keyId}"]`)
    expect(readAudit()).toContain(`"action":"keys revoke","ids":["${key?.keyId}"]`)
  })
})
