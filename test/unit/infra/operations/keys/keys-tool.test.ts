import { readFileSync } from 'node:fs'
import { beforeEach, describe, expect, it } from 'vitest'
import { getAuditFile } from '../../../../../infra/operations/environment/audit-trail.ts'
import { createKeysTool } from '../../../../../infra/operations/keys/keys-tool.ts'
import { readAudit, registerLocalEnvironment, runToolInProcess } from '../../../../fixtures/commands.ts'

const now = Date.UTC(2026, 10, 2)

/** Runs `npm run keys` in this process. The clock of the command shows the start of 2 November 2026. */
const runKeys = (...words: readonly string[]) =>
  runToolInProcess(
    createKeysTool(() => now),
    words,
  )

describe('npm run keys', () => {
  let environment: Awaited<ReturnType<typeof registerLocalEnvironment>>
  /** A key of the plan free whose owner is Acme. */
  let apiKey: string
  let keyId: string

  /** Runs a command that succeeds. @returns the JSON object that it prints */
  const runForJson = async (...words: readonly string[]) => {
    const { output, errors, exitCode } = await runKeys(...words, ...environment.options, '--json')
    expect(errors).toBe('')
    expect(exitCode).toBe(0)
    return JSON.parse(output)
  }

  /** Reads the last line of the audit. Fails if the audit has the API key anywhere. */
  const readLastChange = () => {
    expect(readFileSync(getAuditFile(environment.dataFolder), 'utf8')).not.toContain(apiKey)
    return readAudit(environment.dataFolder).at(-1)
  }

  beforeEach(async () => {
    environment = await registerLocalEnvironment()
    const issued = await runForJson('issue', '--plan', 'free', '--owner', 'Acme', '--contact', 'a@example.org')
    apiKey = issued.apiKey
    keyId = issued.keyId
  })

  it('npm run keys issues a key with the limits of its plan', async () => {
    const issued = await runForJson('issue', '--plan', 'free', '--owner', 'x')

    expect(issued).toMatchObject({ contact: null, scope: 'read-write', expiresAt: null })
    expect(readLastChange()).toMatchObject({
      action: 'keys issue',
      ids: [issued.keyId],
      old: null,
      new: { plan: 'free', minuteLimit: 60, dayLimit: 1_000 },
    })
  })

  it('npm run keys issues a key with a contact and a scope', async () => {
    const issued = await runForJson('issue', '--plan', 'pro', '--owner', 'x', '--contact', 'a@b', '--scope', 'read')

    expect(issued).toMatchObject({ contact: 'a@b', scope: 'read' })
    expect(readLastChange()).toMatchObject({
      action: 'keys issue',
      ids: [issued.keyId],
      old: null,
      new: { plan: 'pro', minuteLimit: 300, dayLimit: 10_000 },
    })
  })

  it('npm run keys issues a key that ends on a day', async () => {
    const issued = await runForJson('issue', '--plan', 'free', '--owner', 'x', '--expires', '2026-12-31')

    expect(issued).toMatchObject({ expiresAt: '2026-12-31T00:00:00Z' })
    expect(readLastChange()).toMatchObject({
      action: 'keys issue',
      ids: [issued.keyId],
      old: null,
      new: { owner: 'x', expiresAt: Date.UTC(2026, 11, 31) / 1_000 },
    })
  })

  it('npm run keys issues an enterprise key with limits of its own', async () => {
    const limits = ['--per-minute', '9', '--per-day', '7e4']

    const issued = await runForJson('issue', '--plan', 'enterprise', '--owner', 'x', ...limits)

    expect(issued).toMatchObject({ perMinute: 9, perDay: 70_000 })
    expect(readLastChange()).toMatchObject({
      action: 'keys issue',
      ids: [issued.keyId],
      old: null,
      new: { minuteLimit: 9, dayLimit: 70_000 },
    })
  })

  it('npm run keys rotates a key with an overlap of a day', async () => {
    const successor = await runForJson('rotate', keyId)

    expect(successor).toMatchObject({ predecessor: keyId, predecessorEndsAt: '2026-11-03T00:00:00Z' })
    expect(readLastChange()).toMatchObject({
      action: 'keys rotate',
      ids: [keyId, successor.keyId],
      old: { successor: null, overlapEndsAt: null },
      new: {
        successor: successor.keyId,
        overlapEndsAt: Date.UTC(2026, 10, 3) / 1_000,
        plan: 'free',
        minuteLimit: 60,
        dayLimit: 1_000,
      },
    })
  })

  it('npm run keys rotates a key with an overlap of two hours', async () => {
    const successor = await runForJson('rotate', keyId, '--overlap-hours', '2')

    expect(successor).toMatchObject({ predecessorEndsAt: '2026-11-02T02:00:00Z' })
    expect(readLastChange()).toMatchObject({
      action: 'keys rotate',
      ids: [keyId, successor.keyId],
      old: { successor: null, overlapEndsAt: null },
      new: { owner: 'Acme' },
    })
  })

  it('npm run keys moves a key to another plan', async () => {
    const moved = await runForJson('move', keyId, '--plan', 'pro')

    expect(moved).toMatchObject({ keyId, perMinute: 300, perDay: 10_000 })
    expect(readLastChange()).toMatchObject({
      action: 'keys move',
      ids: [keyId],
      old: { plan: 'free', minuteLimit: 60, dayLimit: 1_000 },
      new: { plan: 'pro', minuteLimit: 300, dayLimit: 10_000 },
    })
  })

  it('npm run keys removes the contact of a key', async () => {
    const edited = await runForJson('edit', keyId, '--contact', '')

    expect(edited).toMatchObject({ keyId, owner: 'Acme', contact: null })
    expect(readLastChange()).toMatchObject({
      action: 'keys edit',
      ids: [keyId],
      old: { contact: 'a@example.org' },
      new: { contact: null },
    })
  })

  it('npm run keys revokes a key', async () => {
    const revoked = await runForJson('revoke', keyId)

    expect(revoked).toMatchObject({ keyId, state: 'revoked' })
    expect(readLastChange()).toMatchObject({
      action: 'keys revoke',
      ids: [keyId],
      old: { state: 'active' },
      new: { state: 'revoked' },
    })
  })

  it('npm run keys revokes all keys', async () => {
    const report = await runForJson('revoke', '--all')

    expect(report).toEqual({ revoked: 1 })
    expect(readLastChange()).toMatchObject({
      action: 'keys revoke --all',
      ids: [keyId],
      old: { state: 'active' },
      new: { state: 'revoked' },
    })
  })

  it('npm run keys finds a key by its text', async () => {
    expect(await runForJson('show', apiKey)).toMatchObject({ keyId })
  })

  it('npm run keys prints no API key that was pasted by mistake', async () => {
    const secretPart = apiKey.slice('pet_test_'.length)
    const commandLines = [
      ['show', apiKey],
      ['show', `${apiKey}0`],
      ['show', 'x', apiKey],
      ['list', '--state', apiKey],
      [apiKey],
    ]
    for (const words of commandLines) {
      const { output, errors } = await runKeys(...words, ...environment.options)

      expect(output + errors).not.toBe('')
      expect(output + errors).not.toContain(secretPart)
    }
  })
})

describe('npm run keys without an environment', () => {
  /** Runs a command on a data folder that does not exist. */
  const runWithoutEnvironment = (words: readonly string[]) => runKeys('--env', 'local', '--data', '/nowhere', ...words)

  const expectMistake = (result: Awaited<ReturnType<typeof runKeys>>, sentence: string): void => {
    expect(result).toEqual({ output: '', errors: expect.stringContaining(sentence), exitCode: 2 })
    // Neither a stack trace, nor the message of an environment that does not run.
    expect(result.errors).not.toMatch(/ {4}at |npm start/)
  }

  it.each([
    { line: 'list --state gone', sentence: '--state' },
    { line: 'issue --owner x --plan enterprise --per-minute 5', sentence: 'both' },
    { line: 'issue --owner x --plan enterprise --per-minute 0 --per-day 5', sentence: '--per-minute' },
    { line: 'issue --owner x --plan enterprise --per-minute 5 --per-day 1.5', sentence: '--per-day' },
    { line: 'issue --owner x --plan enterprise --per-minute 30001 --per-day 5', sentence: 'from 1 to 30000' },
    { line: 'issue --owner x --plan enterprise --per-minute 6 --per-day 5', sentence: 'more than --per-day' },
    { line: 'issue --owner x --plan free --per-minute 5', sentence: 'fixed' },
    { line: 'issue --owner x --plan free --expires 2026-11-02', sentence: 'after today' },
    { line: 'issue --owner x --plan free --expires 2026-02-30', sentence: '--expires' },
    { line: 'issue --owner my-pet_live_0123456789 --plan free', sentence: 'without an API key' },
    { line: 'issue --owner x --plan free --why for_pet_test_0123', sentence: 'must not contain an API key' },
    { line: 'issue --owner Acme\u001b[2J --plan free', sentence: 'characters that a terminal shows' },
    { line: 'rotate key_1 --overlap-hours 1000', sentence: '--overlap-hours' },
    { line: 'rotate key_1 --overlap-hours 1 --again', sentence: '--overlap-hours' },
    { line: 'edit key_1', sentence: '--contact' },
    { line: 'revoke', sentence: '--all' },
    { line: 'revoke key_1 --all', sentence: '--all' },
  ])(
    'npm run keys -- $line is a mistake that is reported before the environment is opened',
    async ({ line, sentence }) => {
      expectMistake(await runWithoutEnvironment(line.split(' ')), sentence)
    },
  )

  it('an owner that is too long is a mistake that is reported before the environment is opened', async () => {
    const words = ['issue', '--plan', 'free', '--owner', 'x'.repeat(101)]

    expectMistake(await runWithoutEnvironment(words), '--owner')
  })

  it.each([
    { words: ['issue', '--plan', 'free', '--owner', 'Smoke test'] },
    { words: ['edit', 'key_1', '--owner', 'smoke test'] },
  ])(
    'the owner of the smoke test in $words is a mistake that is reported before the environment is opened',
    async ({ words }) => {
      expectMistake(await runWithoutEnvironment(words), 'revokes all keys of this owner')
    },
  )

  it.each([
    { line: 'issue --plan free --owner x' },
    { line: 'rotate key_1' },
    { line: 'move key_1 --plan pro' },
    { line: 'edit key_1 --owner x' },
    { line: 'unban key_1' },
    { line: 'revoke key_1' },
    { line: 'revoke --all' },
  ])('npm run keys -- $line on production needs a confirmation', async ({ line }) => {
    const result = await runWithoutEnvironment([...line.split(' '), '--env', 'production'])

    expectMistake(result, 'If that is meant, add --confirm production.')
  })
})
