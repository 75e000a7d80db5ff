import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { auditFile } from '../../../../../infra/operations/environment/audit.ts'
import { createKeysTool } from '../../../../../infra/operations/keys/keys-tool.ts'
import { fixedPlans } from '../../../../../shared/api-keys/plans.ts'
import { registerLocalEnvironment, runToolInProcess } from '../../../../fixtures/commands.ts'

const now = Date.UTC(2026, 10, 2)

/** Runs `npm run keys` with these words in this process. */
const keys = (words: readonly string[]) =>
  runToolInProcess(
    createKeysTool(() => now),
    words,
  )

/** An environment with a key, and commands on it that must succeed. */
const openKeys = async () => {
  const { dataFolder: data, options: words } = await registerLocalEnvironment()
  const json = async (line: string): Promise<Readonly<Record<string, unknown>>> => {
    const { output, errors, exitCode } = await keys([...line.split(' '), ...words, '--json'])
    expect([errors, exitCode]).toEqual(['', 0])
    return JSON.parse(output)
  }
  const issued = await json('issue --plan free --owner Acme --contact a@example.org')
  return { data, words, json, apiKey: String(issued['apiKey']), keyId: String(issued['keyId']) }
}

const free = { plan: 'free', minuteLimit: 60, dayLimit: 1_000 }
const pro = { plan: 'pro', minuteLimit: 300, dayLimit: 10_000 }
const whole = { successor: null, overlapEndsAt: null }
const [active, revoked] = [{ state: 'active' }, { state: 'revoked' }]

it.each<[line: string, report: object, old: object | null, changed: object]>([
  ['issue --plan free --owner x', { contact: null, scope: 'read-write', expiresAt: null }, null, free],
  ['issue --plan pro --owner x --contact a@b --scope read', { contact: 'a@b', scope: 'read' }, null, pro],
  ['issue --plan free --owner x --expires 2026-12-31', { expiresAt: '2026-12-31T00:00:00Z' }, null, { owner: 'x' }],
  ['issue --plan enterprise --owner x --per-minute 9 --per-day 7e4', { perDay: 70_000 }, null, { dayLimit: 70_000 }],
  ['rotate ID', { predecessorEndsAt: '2026-11-03T00:00:00Z' }, whole, { ...free, overlapEndsAt: now / 1_000 + 86_400 }],
  ['rotate ID --overlap-hours 2', { predecessorEndsAt: '2026-11-02T02:00:00Z' }, whole, { owner: 'Acme' }],
  ['move ID --plan pro', fixedPlans.pro, free, pro],
  ['edit ID --contact ', { owner: 'Acme', contact: null }, { contact: 'a@example.org' }, { contact: null }],
  ['revoke ID', revoked, active, revoked],
  ['revoke --all', { revoked: 1 }, active, revoked],
])('"%s" reports %j, and records what changes as it was and will be: %j, %j', async (line, report, old, changed) => {
  const { data, json, apiKey, keyId } = await openKeys()
  const reported = await json(line.replace('ID', keyId))
  expect(reported).toMatchObject(report)
  const text = readFileSync(auditFile(data), 'utf8')
  const ids = new Set([line.startsWith('issue') ? [] : keyId, reported['keyId'] ?? []].flat())
  const action = `keys ${/^\w+( --all)?/.exec(line)?.[0]}`
  const [last = ''] = text.trimEnd().split('\n').slice(-1)
  expect(JSON.parse(last)).toMatchObject({ action, ids: [...ids], old, new: changed })
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

const unconfirmed = (line: string) =>
  [`${line} --env production`, 'If that is meant, add --confirm production.'] as const

it.each<readonly [line: string, sentence: string]>([
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
  ...['issue --plan free --owner x', 'rotate key_1', 'move key_1 --plan pro', 'edit key_1 --owner x'].map(unconfirmed),
  ...['unban key_1', 'revoke key_1', 'revoke --all'].map(unconfirmed),
])('refuses "%s" before it looks for the environment, and says "%s"', async (line, sentence) => {
  const words = line.replace('moke_', 'moke ').split(/ (?!test)/)
  const { output, errors, exitCode } = await keys(['--env', 'local', '--data', '/nowhere', ...words])
  expect([output, exitCode]).toEqual(['', 1])
  expect(errors).toContain(sentence)
  expect(errors).not.toMatch(/ {4}at |npm start/)
})
