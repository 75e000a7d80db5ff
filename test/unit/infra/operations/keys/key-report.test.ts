import { expect, it } from 'vitest'
import { reportIssued, reportKey, reportList } from '../../../../../infra/operations/keys/key-report.ts'
import { hashApiKey } from '../../../../../shared/api-keys/api-key.ts'
import { type KeyId, newApiKeyRecord, scopeOf } from '../../../../../shared/api-keys/api-key-record.ts'

/** As it may stand in the table since before owners were checked. */
const owner = 'Acme\nkey_forged  free  active\u001b[2J\u202e'

const keyId = 'key_1' as KeyId
const record = newApiKeyRecord({
  keyId,
  idempotencyScope: scopeOf(keyId),
  owner,
  plan: 'free',
  createdAt: 1_800_000_000,
  minuteLimit: 60,
  dayLimit: 1_000,
})
const now = 1_800_000_000_000

it.each([
  ['list', reportList([{ ...record, keyHash: hashApiKey('x') }], now).text],
  ['show', reportKey(record, now).text],
  ['issue', reportIssued({ apiKey: 'pet_test_x', record }, now).text],
])('the text of %s has the owner in one line, and no escape sequence', (_action, text) => {
  expect(text).toContain('Acme\\u{a}key_forged  free  active\\u{1b}[2J\\u{202e}')
  expect(text).not.toMatch(/^key_forged/m)
  expect(text).not.toMatch(/[^\n\P{C}]/u)
})

it('JSON has the owner as it is', () => {
  expect(reportKey(record, now).json).toMatchObject({ owner })
})
