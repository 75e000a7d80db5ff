import { describe, expect, it } from 'vitest'
import { UserError } from '../../../../../infra/command-line/user-error.ts'
import type { KeyAdministration } from '../../../../../infra/operations/keys/administration.ts'
import { readKeyCommand } from '../../../../../infra/operations/keys/key-command.ts'

const now = Date.UTC(2026, 10, 2)
const read = (line: string) =>
  readKeyCommand(
    line.split(' ').filter((word) => word !== ''),
    () => now,
  )

/** What a command first asks of the administration of keys, which refuses it, but for these answers. */
const askedBy = async (line: string, answers: object = {}): Promise<readonly unknown[]> => {
  const asked: unknown[][] = []
  const keys = new Proxy(answers, {
    get: (own, name) =>
      Reflect.get(own, name) ??
      (async (...given: unknown[]) => {
        asked.push([name, ...given.filter((value) => typeof value !== 'function')])
        throw new Error('refused')
      }),
  })
  const work = { keys: keys as KeyAdministration, readUsage: undefined, now, show: async () => {}, signal: undefined }
  await expect(read(line).run(work)).rejects.toThrow('refused')
  return asked[0] ?? []
}

describe('the key command', () => {
  it('issues an enterprise key with numbers of its own', async () => {
    const line = 'issue --env local --plan enterprise --owner x --per-minute 30000 --per-day 70000'
    expect(await askedBy(line)).toMatchObject(['issue', { allowance: { perMinute: 30_000, perDay: 70_000 } }])
  })

  it('issues a key with a contact, a scope and an end', async () => {
    const line = 'issue --env local --plan free --owner x --contact a@example.org --scope read --expires 2026-12-31'
    const order = { contact: 'a@example.org', scope: 'read', expiresAt: Date.UTC(2026, 11, 31) / 1_000 }
    expect(await askedBy(line)).toMatchObject(['issue', order])
  })

  it.each([
    ['', 86_400],
    [' --overlap-hours 0', 0],
    [' --overlap-hours 1.5', 5_400],
  ])('lets a rotated key work for a day more unless told otherwise:%s', async (option, seconds) => {
    const asked = await askedBy(`rotate key_1 --env local${option}`, { show: async () => ({ keyId: 'key_1' }) })
    expect(asked).toEqual(['rotate', 'key_1', seconds, false])
  })

  it('ends the ban of a key', async () => {
    expect(await askedBy('unban key_1 --env local')).toEqual(['unban', 'key_1'])
  })

  it('revokes a key of production only when that is confirmed by name', async () => {
    expect(() => read('revoke key_1 --env production')).toThrow('add --confirm production')
    expect(() => read('revoke key_1 --env production --confirm staging')).toThrow('--confirm staging')
    expect(await askedBy('revoke key_1 --env production --confirm production')).toEqual(['revoke', 'key_1'])
    expect(await askedBy('revoke key_1 --env staging')).toEqual(['revoke', 'key_1'])
    expect(() => read('revoke --all --env production')).toThrow('add --confirm production')
    expect(await askedBy('revoke --all --env staging')).toEqual(['revokeAll', undefined])
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
    ['issue --env local --owner Acme\u001b[2J --plan free', 'no control, format or line-separator characters.'],
    ['issue --env local --owner Acme\nkey_forged --plan free', 'no control, format or line-separator characters.'],
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
