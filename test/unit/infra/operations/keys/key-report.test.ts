import { expect, it } from 'vitest'
import { reportIssuedKey, reportKey, reportKeys } from '../../../../../infra/operations/keys/key-report.ts'
import { hashApiKey } from '../../../../../shared/api-keys/api-key.ts'
import type { KeyId } from '../../../../../shared/api-keys/api-key-record.ts'
import { computeWindowNumber } from '../../../../../shared/rate-limit/windows.ts'
import { createApiKeyRecord } from '../../../../fixtures/api-key-record.ts'
import { noon } from '../../../../fixtures/clock.ts'

const seconds = noon / 1_000
const keyId = 'key_1' as KeyId
const owner = 'Acme\nkey_forged  free  active\u001b[2J\u202e'
const issued = { apiKey: 'pet_test_x', keyHash: hashApiKey('pet_test_x'), record: createApiKeyRecord() }

it('a key shows all that it has used, when it was used last, its ban and its ends, and its owner in one line', () => {
  const used = createApiKeyRecord({
    ...{
      minuteWindow: computeWindowNumber('minute', noon) - 7,
      dayWindow: computeWindowNumber('day', noon),
      dayCount: 5_000,
      owner,
    },
    ...{ bannedUntil: seconds + 60, expiresAt: seconds + 3_600, overlapEndsAt: seconds + 60, successor: keyId },
  })
  const { json, text } = reportKey(used, noon)
  expect(json).toMatchObject({
    ...{ perDay: 1_000, usedToday: 5_000, usedThisMinute: 0, lastUsed: '2026-11-02T11:53:00Z', owner },
    ...{ bannedUntil: '2026-11-02T12:01:10Z', expiresAt: '2026-11-02T13:00:10Z', successor: keyId, predecessor: null },
  })
  const [, line] = reportKeys([used], {}, noon).text.split('\n')
  expect(line).toMatch(/^key_\w+ +free +banned +5000\/1000 +2026-11-02T11:53:00Z +2026-11-02T12:01:10Z +Acme/)
  for (const shown of [line, text, reportIssuedKey(noon, { ...issued, record: used }).text]) {
    expect(shown).toContain('Acme\\u{a}key_forged  free  active\\u{1b}[2J\\u{202e}')
    expect(shown).not.toMatch(/[^\n\P{C}]/u)
  }
  expect(reportKey(issued.record, noon).json).toMatchObject({ lastUsed: null, bannedUntil: null, expiresAt: null })
})

it.each([
  [{}, ['Acme', 'ACME', 'expired', 'revoked']],
  [{ owner: 'acme' }, ['Acme', 'ACME']],
  [{ plan: 'pro' }, ['ACME']],
  [{ state: 'active' }, ['Acme', 'ACME']],
  [{ state: 'expired' }, ['expired']],
  [{ state: 'revoked', owner: 'nobody' }, []],
])('a list of %j has the keys that match: %j', (filter, owners) => {
  const ended = [{ owner: 'expired', expiresAt: seconds }, { owner: 'revoked', state: 'revoked' } as const]
  const records = [{ owner: 'Acme' }, { owner: 'ACME', plan: 'pro' } as const, ...ended].map(createApiKeyRecord)
  expect(reportKeys(records, filter, noon).json).toMatchObject({ keys: owners.map((owner) => ({ owner })) })
})

it.each([{ overlapEndsAt: seconds + 60 }, { overlapEndsAt: seconds + 3_600, expiresAt: seconds + 60 }])(
  'a successor is reported with the end of the key that it replaces: %j',
  (end) => {
    const { json, text } = reportIssuedKey(noon, issued, createApiKeyRecord({ keyId, ...end }))
    expect(json).toMatchObject({ apiKey: 'pet_test_x', predecessorEndsAt: '2026-11-02T12:01:10Z' })
    expect(text).toMatch(/\npet_test_x\n\nThe old key key_1 works until 2026-11-02T12:01:10Z\.$/)
  },
)
