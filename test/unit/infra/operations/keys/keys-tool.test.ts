import { mkdirSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { keysTool } from '../../../../../infra/operations/keys/keys-tool.ts'
import { auditFile } from '../../../../../infra/operations/target/audit.ts'
import { fixedPlans } from '../../../../../shared/api-keys/plans.ts'
import { runHere, runningHere } from '../running-here.ts'

const now = Date.UTC(2026, 10, 2)

/** Runs `npm run keys` with these words in this process. */
const keys = (words: readonly string[]) => {
  const tool = keysTool(() => now)
  return runHere(tool, words)
}

/** An environment with a key, and commands on it that must succeed. */
const openKeys = async () => {
  const { data, words } = await runningHere()
  const json = async (line: string): Promise<Readonly<Record<string, unknown>>> => {
    const { output, errors, exitCode } = await keys([...line.split(' '), ...words, '--json'])
    expect([errors, exitCode]).toEqual(['', 0])
    return JSON.parse(output)
  }
  const issued = await json('issue --plan free --owner Acme --contact a@example.org')
  return { data, words, json, apiKey: String(issued['apiKey']), keyId: String(issued['keyId']) }
}

it.each([
  ['issue --plan free --owner x', { contact: null, scope: 'read-write', expiresAt: null, ...fixedPlans.free }],
  ['issue --plan pro --owner x --contact a@b --scope read', { contact: 'a@b', scope: 'read', ...fixedPlans.pro }],
  ['issue --plan free --owner x --expires 2026-12-31', { expiresAt: '2026-12-31T00:00:00Z' }],
  ['issue --plan enterprise --owner x --per-minute 30000 --per-day 7e4', { perMinute: 30_000, perDay: 70_000 }],
  ['rotate ID', { predecessorEndsAt: '2026-11-03T00:00:00Z', contact: 'a@example.org' }],
  ['rotate ID --overlap-hours 2', { predecessorEndsAt: '2026-11-02T02:00:00Z' }],
  ['move ID --plan business', { plan: 'business', ...fixedPlans.business }],
  ['edit ID --owner Umbrella', { owner: 'Umbrella', contact: 'a@example.org' }],
  ['edit ID --contact b@example.org', { owner: 'Acme', contact: 'b@example.org' }],
  ['edit ID --contact ', { owner: 'Acme', contact: null }],
  ['revoke ID', { state: 'revoked' }],
  ['revoke --all', { revoked: 1 }],
  ['list --owner acme', { keys: [{ owner: 'Acme' }] }],
])('"%s" reports %j', async (line, report) => {
  const { json, keyId } = await openKeys()
  expect(await json(line.replace('ID', keyId))).toMatchObject(report)
})

it('records each change before it is made: ids, and every changed field as it was and will be', async () => {
  const { data, json, apiKey, keyId } = await openKeys()
  await json(`edit ${keyId} --contact b@example.org --why wish`)
  await json(`move ${keyId} --plan pro`)
  const { keyId: second } = await json(`rotate ${keyId}`)
  await json(`revoke ${keyId}`)
  await json('revoke --all')
  const key = { owner: 'Acme', scope: 'read-write', expiresAt: null }
  const pro = { plan: 'pro', minuteLimit: 300, dayLimit: 10_000 }
  const [from, to] = [{ contact: 'a@example.org' }, { contact: 'b@example.org' }]
  const [whole, rotated] = [
    { successor: null, overlapEndsAt: null },
    { successor: second, overlapEndsAt: now / 1_000 + 86_400 },
  ]
  const text = readFileSync(auditFile(data), 'utf8')
  expect(JSON.parse(`[${text.trimEnd().replaceAll('\n', ',')}]`)).toMatchObject([
    { action: 'keys issue', ids: [keyId], old: null, new: { ...key, ...from, plan: 'free', dayLimit: 1_000 } },
    { action: 'keys edit', ids: [keyId], old: from, new: to, why: 'wish' },
    { action: 'keys move', ids: [keyId], old: { plan: 'free', minuteLimit: 60, dayLimit: 1_000 }, new: pro },
    { action: 'keys rotate', ids: [keyId, second], old: whole, new: { ...key, ...pro, ...to, ...rotated } },
    { action: 'keys revoke', ids: [keyId], old: { state: 'active' }, new: { state: 'revoked' } },
    { action: 'keys revoke --all', ids: [second], old: { state: 'active' }, new: { state: 'revoked' } },
  ])
  expect(text).not.toContain(apiKey)
})

it('finds a key by its text, and prints none that was pasted by mistake', async () => {
  const { words, json, apiKey, keyId } = await openKeys()
  expect(await json(`show ${apiKey}`)).toMatchObject({ keyId })
  for (const line of [`show ${apiKey}`, `show ${apiKey}0`, `show x ${apiKey}`, `list --state ${apiKey}`, apiKey]) {
    const { output, errors } = await keys([...line.split(' '), ...words])
    expect(output + errors).toMatch(/./)
    expect(output + errors).not.toContain(apiKey.slice('pet_test_'.length))
  }
})

it('issues no key where that cannot be recorded', async () => {
  const { data, words } = await runningHere()
  mkdirSync(auditFile(data))
  expect(await keys(['issue', '--plan', 'free', '--owner', 'x', ...words])).toMatchObject({ output: '', exitCode: 1 })
  expect(JSON.parse((await keys(['list', '--json', ...words])).output)).toEqual({ keys: [] })
})

it.each([
  ['list --state gone', '--state'],
  ['issue --owner x --plan enterprise --per-minute 5', 'both'],
  ['issue --owner x --plan enterprise --per-minute 0 --per-day 5', '--per-minute'],
  ['issue --owner x --plan enterprise --per-minute 5 --per-day 1.5', '--per-day'],
  ['issue --owner x --plan enterprise --per-minute 30001 --per-day 5', 'from 1 to 30000'],
  ['issue --owner x --plan enterprise --per-minute 6 --per-day 5', 'more than --per-day'],
  ['issue --owner x --plan free --per-minute 5', 'fixed'],
  [`issue --owner ${'x'.repeat(101)} --plan free`, '--owner'],
  ['issue --owner Smoke_test --plan free', 'revokes all keys of this owner'],
  ['edit key_1 --owner smoke_test', 'revokes all keys of this owner'],
  ['issue --owner x --plan free --expires 2026-11-02', 'after today'],
  ['issue --owner x --plan free --expires 2026-02-30', '--expires'],
  ['issue --owner my-pet_live_0123456789 --plan free', 'without an API key'],
  ['issue --owner x --plan free --why for_pet_test_0123', 'must not contain an API key'],
  ['issue --owner Acme\u001b[2J --plan free', 'characters that a terminal shows'],
  ['rotate key_1 --overlap-hours 1000', '--overlap-hours'],
  ['rotate key_1 --overlap-hours 1 --again', '--overlap-hours'],
  ['edit key_1', '--contact'],
  ['revoke', '--all'],
  ['revoke key_1 --all', '--all'],
])('refuses "%s" before it looks for the environment, and says "%s"', async (line, sentence) => {
  const words = line.replace('moke_', 'moke ').split(/ (?!test)/)
  const { output, errors, exitCode } = await keys([...words, '--env', 'local', '--data', '/nowhere'])
  expect([output, exitCode]).toEqual(['', 1])
  expect(errors).toContain(sentence)
  expect(errors).not.toMatch(/ {4}at |npm start/)
})

it('changes production only when that is confirmed', async () => {
  const errors = 'This changes production. If that is meant, add --confirm production.\n'
  for (const line of ['revoke key_1', 'revoke --all', 'issue --plan free --owner x', 'rotate key_1', 'unban key_1']) {
    expect(await keys([...line.split(' '), '--env', 'production'])).toEqual({ output: '', errors, exitCode: 1 })
  }
})
