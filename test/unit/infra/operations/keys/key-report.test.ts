import { expect, it } from 'vitest'
import { reportIssued, reportKey, reportList, reportRotated } from '../../../../../infra/operations/keys/key-report.ts'
import type { KeyId } from '../../../../../shared/api-keys/api-key-record.ts'
import { fixedPlans } from '../../../../../shared/api-keys/plans.ts'
import { windowAt } from '../../../../../shared/rate-limit/windows.ts'
import { noon } from '../../../../fixtures/settable-clock.ts'
import { apiKeyRecord } from '../../../shared/api-keys/records.ts'

/** As it may stand in the table since before owners were checked. */
const owner = 'Acme\nkey_forged  free  active\u001b[2J\u202e'
const keyId = 'key_1' as KeyId
const record = apiKeyRecord({ keyId, owner })
const seconds = noon / 1_000

it.each([
  ['list', reportList([record], {}, noon).text],
  ['show', reportKey(record, noon).text],
  ['issue', reportIssued({ apiKey: 'pet_test_x', record }, noon).text],
])('the text of %s has the owner in one line, and no escape sequence', (_action, text) => {
  expect(text).toContain('Acme\\u{a}key_forged  free  active\\u{1b}[2J\\u{202e}')
  expect(text).not.toMatch(/^key_forged/m)
  expect(text).not.toMatch(/[^\n\P{C}]/u)
})

it('JSON has the owner as it is', () => {
  expect(reportKey(record, noon).json).toMatchObject({ owner })
})

it('a listed key shows what it has used, when it was used last, its ban and its end', () => {
  const used = apiKeyRecord({
    ...{ minuteWindow: windowAt('minute', noon) - 7, dayWindow: windowAt('day', noon), dayCount: 12 },
    ...{ bannedUntil: seconds + 60, expiresAt: seconds + 3_600, successor: keyId, contact: 'a@example.org' },
  })
  expect(reportKey(used, noon).json).toMatchObject({
    ...{ usedToday: 12, usedThisMinute: 0, lastUsed: '2026-11-02T11:53:00Z', bannedUntil: '2026-11-02T12:01:10Z' },
    ...{ expiresAt: '2026-11-02T13:00:10Z', successor: keyId, contact: 'a@example.org', predecessor: null },
  })
  expect(reportList([used], {}, noon).text.split('\n')[1]).toMatch(
    /^key_\w+ +free\*? +banned +12\/1000 +2026-11-02T11:53:00Z +2026-11-02T13:00:10Z +the unit tests$/,
  )
  expect(reportKey(record, noon).json).toMatchObject({ lastUsed: null, bannedUntil: null, expiresAt: null })
})

it('a list marks the keys whose limits are not those of their plan, and says how to renew them', () => {
  const { perMinute: minuteLimit, perDay: dayLimit } = fixedPlans.free
  const current = apiKeyRecord({ minuteLimit, dayLimit })
  const older = apiKeyRecord({ minuteLimit: minuteLimit + 1, dayLimit })
  const own = apiKeyRecord({ plan: 'enterprise', minuteLimit: 7 })
  const { text, json } = reportList([current, older, own], {}, noon)
  expect(text.split('\n').map((line) => line.split(/ +/)[1])).toEqual([
    'PLAN',
    'free',
    'free*',
    'enterprise',
    undefined,
    'Its',
  ])
  expect(json).toMatchObject({ keys: [{ hasPlanLimits: true }, { hasPlanLimits: false }, { hasPlanLimits: true }] })
  expect(reportList([current, own], {}, noon).text).not.toContain('*')
})

it.each([
  [{}, ['key_a', 'key_b', 'key_c', 'key_d']],
  [{ owner: 'acme' }, ['key_a', 'key_b']],
  [{ plan: 'pro' as const }, ['key_b']],
  [{ state: 'active' as const }, ['key_a', 'key_b']],
  [{ state: 'expired' as const }, ['key_c']],
  [{ state: 'revoked' as const, owner: 'nobody' }, []],
])('a list with the filter %j has the keys %j', (filter, expected) => {
  const records = [
    apiKeyRecord({ keyId: 'key_a' as KeyId, owner: 'Acme' }),
    apiKeyRecord({ keyId: 'key_b' as KeyId, owner: 'ACME', plan: 'pro' }),
    apiKeyRecord({ keyId: 'key_c' as KeyId, expiresAt: seconds }),
    apiKeyRecord({ keyId: 'key_d' as KeyId, state: 'revoked' }),
  ]
  const { keys } = reportList(records, filter, noon).json
  expect(keys).toMatchObject(expected.map((id) => ({ keyId: id })))
  expect(keys).toHaveLength(expected.length)
})

it('a successor is reported with the end of the key that it replaces, by overlap or by contract', () => {
  const issued = { apiKey: 'pet_test_x', record: apiKeyRecord() }
  const replaced = apiKeyRecord({ keyId, overlapEndsAt: seconds + 3_600 })
  expect(reportRotated(issued, replaced, noon).text).toContain('The old key key_1 works until 2026-11-02T13:00:10Z.')
  const ending = apiKeyRecord({ keyId, overlapEndsAt: seconds + 3_600, expiresAt: seconds + 60 })
  expect(reportRotated(issued, ending, noon).json).toMatchObject({ predecessorEndsAt: '2026-11-02T12:01:10Z' })
  expect(reportList([ending], {}, noon).text).toContain(' 2026-11-02T12:01:10Z ')
})

it('a key that was moved to a smaller plan shows all that it has used', () => {
  const day = { dayWindow: windowAt('day', noon), dayCount: 5_000 }
  const minute = { minuteWindow: windowAt('minute', noon), minuteCount: 200 }
  expect(reportKey(apiKeyRecord({ ...day, ...minute }), noon).json).toMatchObject({
    ...{ perMinute: 60, perDay: 1_000, usedThisMinute: 200, usedToday: 5_000 },
  })
})
