import { readFileSync } from 'node:fs'
import { describe, expect, inject, it } from 'vitest'
import { auditFile } from '../../infra/operations/target/audit.ts'
import { smokeOwner } from '../../infra/operations/target/smoke-owner.ts'
import { startNode } from '../fixtures/node-process.ts'
import { baseUrl } from './api.ts'
import { administration } from './issue-key.ts'

const dataFolder = inject('dataFolder')

const start = (...words: readonly string[]) =>
  startNode(['infra/operations/smoke/smoke.ts', '--env', 'local', '--data', dataFolder ?? '', ...words])

/** The keys of smoke tests. Tests of this file run one after the other. */
const keys = async () => (await administration().list()).filter(({ owner }) => owner === smokeOwner)

// A smoke test does not test itself.
describe.skipIf(dataFolder === null || process.env['PET_API_RUN'] !== undefined)('npm run smoke', () => {
  it('runs the tests that are named, reports them, and revokes its keys', async () => {
    const { ended, output, errors } = start('--read-only', '--only', 'pass values on with it', '--json')
    expect([await ended, errors()]).toEqual([0, expect.stringContaining('1 passed')])
    expect(JSON.parse(output())).toMatchObject({ environment: 'local', baseUrl, passed: 1, failed: 0 })
    // One for the tests, and one that a test has spent.
    const [contact] = (await keys()).map((key) => key.contact)
    expect(await keys()).toMatchObject([
      { contact, state: 'revoked', expiresAt: expect.any(Number) },
      { contact, state: 'revoked', expiresAt: expect.any(Number) },
    ])
    expect(readFileSync(auditFile(dataFolder ?? ''), 'utf8')).toContain(`"new":{"contact":"${contact}"}`)
  })

  it('fails where no test has the name', async () => {
    const { ended, errors } = start('--only', 'HEAD is a GET')
    expect([await ended, errors()]).toEqual([1, expect.stringMatching(/No test has "HEAD is a GET" in its name\.\n$/)])
  })

  it('ends at Ctrl-C with 130, when it has revoked its keys', async () => {
    const { child, ended, errors } = start('--only', 'pass values on with it')
    await expect.poll(async () => (await keys()).filter(({ state }) => state === 'active')).toHaveLength(1)
    child.kill('SIGINT')
    expect([await ended, errors()]).toEqual([130, expect.stringMatching(/Interrupted: the keys are revoked\.\n$/)])
    expect((await keys()).filter(({ state }) => state === 'active')).toEqual([])
  })
})
