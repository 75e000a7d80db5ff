import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { auditFile } from '../../infra/operations/environment/audit.ts'
import { smokeOwner } from '../../infra/operations/keys/key.ts'
import { startNode } from '../fixtures/node-process.ts'
import { administration, dataFolder, isSmokeTest } from './api.ts'

const data = dataFolder ?? ''

const start = (script: string, ...words: readonly string[]) =>
  startNode([`infra/operations/${script}/${script}.ts`, ...words, '--env', 'local', '--data', data])

const keysOf = async (name: string) => (await administration().list()).filter(({ owner }) => owner === name)

// A smoke test does not test itself. test/deployed runs one to its end.
describe.skipIf(dataFolder === undefined || isSmokeTest)('the commands', () => {
  it('npm run keys issues no key that it cannot print, and records that', async () => {
    const owner = `unread ${process.pid}`
    const { child, errors, ended } = start('keys', 'issue', '--plan', 'free', '--owner', owner)
    child.stdout.destroy()
    const failed = 'The output could not be written (write EPIPE).'
    expect([await ended, errors(), await keysOf(owner)]).toEqual([1, `${failed}\n`, []])
    const lines = readFileSync(auditFile(data), 'utf8').split('\n')
    const own = lines.filter((line) => line.includes(owner)).map((line) => JSON.parse(line).failed)
    expect(own).toEqual([undefined, failed])
  })

  it('npm run smoke ends at Ctrl-C with 130, when it has revoked its keys', async () => {
    const { child, ended, errors } = start('smoke', '--only', 'a key over its limit')
    const active = async () => (await keysOf(smokeOwner)).filter(({ state }) => state === 'active')
    await expect.poll(active).toHaveLength(1)
    child.kill('SIGINT')
    expect([await ended, errors()]).toEqual([130, expect.stringMatching(/Interrupted\. The keys are revoked\.\n$/)])
    expect(await active()).toEqual([])
    const [key] = await keysOf(smokeOwner)
    expect(readFileSync(auditFile(data), 'utf8')).toContain(`"new":{"contact":"${key?.contact}"}`)
  })
})
