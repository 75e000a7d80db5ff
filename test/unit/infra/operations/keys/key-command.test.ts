import { describe, expect, it } from 'vitest'
import { UserError } from '../../../../../infra/command-line/user-error.ts'
import { readKeyCommand } from '../../../../../infra/operations/keys/key-command.ts'

const now = Date.UTC(2026, 10, 2)
const read = (line: string) =>
  readKeyCommand(
    line.split(' ').filter((word) => word !== ''),
    () => now,
  )

describe('the key command', () => {
  it('issues a key of a plan with the numbers of the plan', () => {
    expect(read('issue --env local --plan pro --owner shelter')).toEqual({
      environment: 'local',
      data: '.local',
      json: false,
      action: 'issue',
      owner: 'shelter',
      contact: undefined,
      scope: 'read-write',
      expiresAt: undefined,
      plan: 'pro',
      allowance: { perMinute: 300, perDay: 10_000 },
    })
  })

  it('issues an enterprise key with numbers of its own', () => {
    expect(read('issue --env local --plan enterprise --owner x --per-minute 30000 --per-day 70000')).toMatchObject({
      allowance: { perMinute: 30_000, perDay: 70_000 },
    })
  })

  it.each(['show', 'revoke', 'unban'])('takes the id of the key to %s', (action) => {
    expect(read(`${action} key_1 --env local --json --data elsewhere`)).toEqual({
      environment: 'local',
      data: 'elsewhere',
      json: true,
      action,
      key: 'key_1',
    })
  })

  it('lets a rotated key work for a day more unless told otherwise', () => {
    expect(read('rotate key_1 --env local')).toMatchObject({ overlapSeconds: 86_400 })
    expect(read('rotate key_1 --env local --overlap-hours 0')).toMatchObject({ overlapSeconds: 0 })
    expect(read('rotate key_1 --env local --overlap-hours 1.5')).toMatchObject({ overlapSeconds: 5_400 })
  })

  it('issues a key with a contact, a scope and an end', () => {
    const line = 'issue --env local --plan free --owner x --contact a@example.org --scope read --expires 2026-12-31'
    expect(read(line)).toMatchObject({
      contact: 'a@example.org',
      scope: 'read',
      expiresAt: Date.UTC(2026, 11, 31) / 1_000,
    })
  })

  it.each([
    ['a new line', 'Acme\nkey_forged'],
    ['an escape sequence', 'Acme\u001b[2J'],
    ['text from right to left', '\u202eAcme'],
    ['a line separator', 'Acme\u2028'],
    ['a lone surrogate', 'Acme\ud800'],
  ])('refuses an owner with %s', (_what, owner) => {
    const words = ['issue', '--env', 'local', '--plan', 'free', '--owner', owner]
    expect(() => readKeyCommand(words)).toThrow('no control, format or line-separator characters.')
  })

  it('revokes a key of production only when that is confirmed by name', () => {
    expect(() => read('revoke key_1 --env production')).toThrow('add --confirm production')
    expect(() => read('revoke key_1 --env production --confirm staging')).toThrow('--confirm staging')
    expect(read('revoke key_1 --env production --confirm production')).toMatchObject({ action: 'revoke' })
    expect(read('revoke key_1 --env staging')).toMatchObject({ action: 'revoke', key: 'key_1' })
    expect(() => read('revoke --all --env production')).toThrow('add --confirm production')
    expect(read('revoke --all --env staging')).toMatchObject({ action: 'revoke all' })
  })

  it('checks the keys, and repairs them where it is told to', () => {
    expect(read('check --env staging')).toMatchObject({ action: 'check', repair: false })
    expect(read('check --env local --repair')).toMatchObject({ action: 'check', repair: true })
  })

  it.each([
    ['destroy --env local', 'destroy'],
    ['list', '--env'],
    ['list --env moon', '--env'],
    ['list key_1 --env local', 'key_1'],
    ['list --env local --state gone', '--state'],
    ['check key_1 --env local', 'key_1'],
    ['list --env local --repair', '--repair'],
    ['show key_1 --env production --confirm production', '--confirm'],
    ['show --env local', "'id'"],
    ['show key_1 key_2 --env local', 'key_2'],
    ['issue --env local --plan free', '--owner'],
    ['issue --env local --owner x', '--plan'],
    ['issue --env local --owner x --plan gold', '--plan'],
    ['issue --env local --owner x --plan enterprise', 'both'],
    ['issue --env local --owner x --plan enterprise --per-minute 5', 'both'],
    ['issue --env local --owner x --plan enterprise --per-minute 0 --per-day 5', '--per-minute'],
    ['issue --env local --owner x --plan enterprise --per-minute 5 --per-day many', '--per-day'],
    ['issue --env local --owner x --plan enterprise --per-minute 5 --per-day 1.5', '--per-day'],
    ['issue --env local --owner x --plan enterprise --per-minute 30001 --per-day 5', 'Issue several keys'],
    ['move key_0abc --env local --plan enterprise --per-minute 30001 --per-day 5', 'Issue several keys'],
    ['issue --env local --owner x --plan free --per-minute 5', 'fixed'],
    [`issue --env local --owner ${'x'.repeat(101)} --plan free`, '--owner'],
    ['move key_1 --env local', '--plan'],
    ['rotate key_1 --env local --overlap-hours soon', '--overlap-hours'],
    ['rotate key_1 --env local --overlap-hours 1000', '--overlap-hours'],
    ['issue --env local --owner x --plan enterprise --per-minute 6 --per-day 5', 'more than --per-day'],
    ['issue --env local --owner x --plan free --expires 2026-11-02', 'after today'],
    ['issue --env local --owner x --plan free --expires 2026-02-30', '--expires'],
    ['issue --env local --owner x --plan free --expires tomorrow', '--expires'],
    ['issue --env local --owner x --plan free --scope write', '--scope'],
    ['issue --env local --owner my-pet_live_0123456789 --plan free', 'must not contain an API key'],
    ['edit key_1 --env local', '--contact'],
    ['revoke --env local', '--all'],
    ['revoke key_1 --all --env local', '--all'],
    ['usage --env staging --days 0', '--days'],
    ['usage --env staging --by name', '--by'],
    ['list --env local --bogus', 'bogus'],
    ['list --env staging --data x', '--data'],
  ])('refuses "%s" and names %s', (line, named) => {
    expect(() => read(line)).toThrow(UserError)
    expect(() => read(line)).toThrow(named)
  })
})
