import { expect, it } from 'vitest'
import { reportIssued, reportKey, reportList } from '../../../../../infra/operations/keys/key-report.ts'
import { hashApiKey } from '../../../../../shared/api-keys/api-key.ts'
import type { KeyId } from '../../../../../shared/api-keys/api-key-record.ts'
import { windowAt } from '../../../../../shared/rate-limit/windows.ts'
import { noon } from '../../../../fixtures/settable-clock.ts'
import { apiKeyRecord } from '../../../shared/api-keys/records.ts'

const owner = 'Acme\nkey_forged  free  active\u001b[2J\u202e'
const keyId = 'key_1' as KeyId
const record = apiKeyRecord({ keyId, owner })
const seconds = noon / 1_000
const issued = { apiKey: 'pet_test_x', keyHash: hashApiKey('pet_test_x'), record }

it.each([
  ['list', reportList([record], {}, noon)],
  ['show', reportKey(record, noon)],
  ['issue', reportIssued(noon, issued)],
])(
  'the text of %s has an owner in one line, and no escape sequence; its JSON has the owner as it is',
  (_action, report) => {
    expect(report.text).toContain('Acme\\u{a}key_forged  free  active\\u{1b}[2J\\u{202e}')
    expect(report.text).not.toMatch(/^key_forged/m)
    expect(report.text).not.toMatch(/[^\n\P{C}]/u)
    expect([report.json, report.json['keys']]).toContainEqual(
      'keys' in report.json ? [expect.objectContaining({ owner })] : expect.objectContaining({ owner }),
    )
  },
)

it('a key shows all that it has used, when it was used last, its ban and its ends', () => {
  const used = apiKeyRecord({
    ...{ minuteWindow: windowAt('minute', noon) - 7, dayWindow: windowAt('day', noon), dayCount: 5_000 },
    ...{ bannedUntil: seconds + 60, expiresAt: seconds + 3_600, overlapEndsAt: seconds + 60, successor: keyId },
  })
  expect(reportKey(used, noon).json).toMatchObject({
    ...{ perDay: 1_000, usedToday: 5_000, usedThisMinute: 0, lastUsed: '2026-11-02T11:53:00Z' },
    ...{ bannedUntil: '2026-11-02T12:01:10Z', expiresAt: '2026-11-02T13:00:10Z', successor: keyId, predecessor: null },
  })
  expect(reportList([used], {}, noon).text.split('\n')[1]).toMatch(
    /^key_\w+ +free +banned +5000\/1000 +2026-11-02T11:53:00Z +2026-11-02T12:01:10Z +the unit tests$/,
  )
  expect(reportKey(record, noon).json).toMatchObject({ lastUsed: null, bannedUntil: null, expiresAt: null })
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
  expect(reportList(records, filter, noon).json).toMatchObject({ keys: expected.map((id) => ({ keyId: id })) })
})

it.each([
  ['by overlap', { overlapEndsAt: seconds + 60 }],
  ['by contract', { overlapEndsAt: seconds + 3_600, expiresAt: seconds + 60 }],
])('a successor is reported with the end of the key that it replaces, %s', (_how, ends) => {
  const { json, text } = reportIssued(noon, issued, apiKeyRecord({ keyId, ...ends }))
  expect(json).toMatchObject({ apiKey: 'pet_test_x', predecessorEndsAt: '2026-11-02T12:01:10Z' })
  expect(text).toContain('The old key key_1 works until 2026-11-02T12:01:10Z.')
})
