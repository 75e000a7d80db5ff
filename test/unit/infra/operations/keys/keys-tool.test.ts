import { mkdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { keysTool } from '../../../../../infra/operations/keys/keys-tool.ts'
import { auditFile } from '../../../../../infra/operations/target/audit.ts'
import { fixedPlans } from '../../../../../shared/api-keys/plans.ts'
import { runHere, runningHere } from '../running-here.ts'

const now = Date.UTC(2026, 10, 2)

const run = (line: readonly string[]) =>
  runHere(
    keysTool(() => now),
    line,
  )

/** An environment, and commands on it that must succeed. */
const openKeys = async () => {
  const { data, words } = await runningHere()
  const json = async (...line: readonly string[]): Promise<Readonly<Record<string, unknown>>> => {
    const { output, errors, exitCode } = await run([...line, ...words, '--json'])
    expect([errors, exitCode]).toEqual(['', 0])
    return JSON.parse(output)
  }
  const audit = (): Readonly<Record<string, unknown>>[] =>
    readFileSync(auditFile(data), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
  return { data, words, json, audit, issue: () => json('issue', '--plan', 'free', '--owner', 'Acme') }
}

describe('npm run keys', () => {
  it('issues a key with a contact, a scope and an end', async () => {
    const { json } = await openKeys()
    const more = ['--contact', 'a@example.org', '--scope', 'read', '--expires', '2026-12-31']
    expect(await json('issue', '--plan', 'free', '--owner', 'x', ...more)).toMatchObject({
      ...{ contact: 'a@example.org', scope: 'read', expiresAt: '2026-12-31T00:00:00Z', ...fixedPlans.free },
    })
  })

  it('issues an enterprise key with numbers of its own', async () => {
    const { json } = await openKeys()
    const limits = ['--per-minute', '30000', '--per-day', '7e4']
    const issued = await json('issue', '--plan', 'enterprise', '--owner', 'x', ...limits)
    expect(issued).toMatchObject({ perMinute: 30_000, perDay: 70_000 })
  })

  it.each([
    [[], '2026-11-03T00:00:00Z'],
    [['--overlap-hours', '0'], '2026-11-02T00:00:00Z'],
    [['--overlap-hours', '1.5'], '2026-11-02T01:30:00Z'],
  ])('lets a rotated key work for a day more unless told otherwise: %j', async (option, until) => {
    const { json, issue } = await openKeys()
    const { keyId } = await issue()
    expect(await json('rotate', String(keyId), ...option)).toMatchObject({ predecessorEndsAt: until })
    expect(await json('show', String(keyId))).toMatchObject({ overlapEndsAt: until })
  })

  it('clears a contact', async () => {
    const { json, issue } = await openKeys()
    const keyId = String((await issue())['keyId'])
    expect(await json('edit', keyId, '--contact', 'a@example.org')).toMatchObject({ contact: 'a@example.org' })
    expect(await json('edit', keyId, '--contact', '')).toMatchObject({ contact: null, owner: 'Acme' })
  })

  it('records each change before it is made: ids, and every changed field as it was and will be', async () => {
    const { json, issue, audit } = await openKeys()
    const { keyId: first, apiKey } = await issue()
    const keyId = String(first)
    await json('edit', keyId, '--contact', 'a@example.org', '--why', 'asked for')
    await json('move', keyId, '--plan', 'pro')
    const { keyId: second } = await json('rotate', keyId)
    await json('revoke', keyId)
    await json('revoke', '--all')
    const key = { owner: 'Acme', scope: 'read-write', expiresAt: null }
    const pro = { plan: 'pro', minuteLimit: 300, dayLimit: 10_000 }
    expect(audit()).toMatchObject([
      { action: 'keys issue', ids: [keyId], old: null, new: { ...key, contact: null, plan: 'free', dayLimit: 1_000 } },
      {
        ...{ action: 'keys edit', ids: [keyId], why: 'asked for' },
        ...{ old: { contact: null }, new: { contact: 'a@example.org' } },
      },
      { action: 'keys move', ids: [keyId], old: { plan: 'free', minuteLimit: 60, dayLimit: 1_000 }, new: pro },
      {
        ...{ action: 'keys rotate', ids: [keyId, second], old: { successor: null, overlapEndsAt: null } },
        new: { ...key, ...pro, successor: second, overlapEndsAt: now / 1_000 + 86_400 },
      },
      { action: 'keys revoke', ids: [keyId], old: { state: 'active' }, new: { state: 'revoked' } },
      { action: 'keys revoke --all', ids: [second], old: { state: 'active' }, new: { state: 'revoked' } },
    ])
    expect(JSON.stringify(audit())).not.toContain(String(apiKey))
  })

  it('changes nothing where the change cannot be recorded', async () => {
    const { data, words } = await runningHere()
    mkdirSync(auditFile(data))
    const { output, exitCode } = await run(['issue', '--plan', 'free', '--owner', 'x', ...words])
    expect([output, exitCode]).toEqual(['', 1])
    expect(JSON.parse((await run(['list', '--json', ...words])).output)).toEqual({ keys: [] })
  })

  it.each([
    ['destroy', 'destroy'],
    ['list key_1', 'too many arguments'],
    ['list --state gone', '--state'],
    ['list --repair', '--repair'],
    ['show', "'id'"],
    ['issue --plan free', '--owner'],
    ['issue --owner x', '--plan'],
    ['issue --owner x --plan gold', '--plan'],
    ['issue --owner x --plan enterprise --per-minute 5', 'both'],
    ['issue --owner x --plan enterprise --per-minute 0 --per-day 5', '--per-minute'],
    ['issue --owner x --plan enterprise --per-minute 5 --per-day 1.5', '--per-day'],
    ['issue --owner x --plan enterprise --per-minute 30001 --per-day 5', 'Issue several keys'],
    ['issue --owner x --plan enterprise --per-minute 6 --per-day 5', 'more than --per-day'],
    ['issue --owner x --plan free --per-minute 5', 'fixed'],
    [`issue --owner ${'x'.repeat(101)} --plan free`, '--owner'],
    ['issue --owner Smoke_test --plan free', 'revokes all keys of this owner'],
    ['edit key_1 --owner smoke_test', 'revokes all keys of this owner'],
    ['issue --owner x --plan free --expires 2026-11-02', 'after today'],
    ['issue --owner x --plan free --expires 2026-02-30', '--expires'],
    ['issue --owner x --plan free --scope write', '--scope'],
    ['issue --owner my-pet_live_0123456789 --plan free', 'must not contain an API key'],
    ['issue --owner x --plan free --why for_pet_test_0123', 'must not contain an API key'],
    ['issue --owner Acme\u001b[2J --plan free', 'no control, format or line-separator characters.'],
    ['issue --owner Acme\nkey_forged --plan free', 'no control, format or line-separator characters.'],
    ['move key_1', '--plan'],
    ['rotate key_1 --overlap-hours 1000', '--overlap-hours'],
    ['edit key_1', '--contact'],
    ['revoke', '--all'],
    ['revoke key_1 --all', '--all'],
    ['revoke key_none', 'No API key has the id key_none'],
  ])('refuses "%s", says "%s", and changes nothing', async (line, sentence) => {
    const { words } = await runningHere()
    const { output, errors, exitCode } = await run([
      ...line.split(' ').map((word) => word.replace(/(?<=moke)_/, ' ')),
      ...words,
    ])
    expect([output, exitCode]).toEqual(['', 1])
    expect(errors).toContain(sentence)
    expect(errors).not.toContain('    at ')
    expect(JSON.parse((await run(['list', '--json', ...words])).output)).toEqual({ keys: [] })
  })

  it('changes production only when that is confirmed', async () => {
    for (const line of ['revoke key_1', 'revoke --all', 'issue --plan free --owner x']) {
      const { errors, exitCode } = await run([...line.split(' '), '--env', 'production'])
      expect([errors, exitCode]).toEqual(['This changes production. If that is meant, add --confirm production.\n', 1])
    }
  })
})
