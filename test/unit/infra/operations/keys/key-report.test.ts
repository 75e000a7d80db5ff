import { describe, expect, it } from 'vitest'
import type { KeyList } from '../../../../../infra/operations/keys/administration.ts'
import { reportIssuedKey, reportKey, reportKeys } from '../../../../../infra/operations/keys/key-report.ts'
import { hashApiKey } from '../../../../../shared/api-keys/api-key.ts'
import type { ApiKeyRecord, KeyId } from '../../../../../shared/api-keys/api-key-record.ts'
import { computeWindowNumber } from '../../../../../shared/rate-limit/windows.ts'
import { createApiKeyRecord } from '../../../../fixtures/api-key-record.ts'
import { noon } from '../../../../fixtures/clock.ts'

/** Noon in Unix seconds: 2026-11-02T12:00:10Z. */
const noonSeconds = noon / 1_000

const issued = { apiKey: 'pet_test_x', keyHash: hashApiKey('pet_test_x'), record: createApiKeyRecord() }

/** A key with everything that a report can show, last used seven minutes ago. */
const usedKey = createApiKeyRecord({
  minuteWindow: computeWindowNumber('minute', noon) - 7,
  minuteCount: 12,
  dayWindow: computeWindowNumber('day', noon),
  dayCount: 5_000,
  bannedUntil: noonSeconds + 60,
  expiresAt: noonSeconds + 3_600,
  overlapEndsAt: noonSeconds + 60,
  successor: 'key_1' as KeyId,
})

/** Creates a list of keys that can all be read. */
const createList = (...keys: readonly ApiKeyRecord[]): KeyList => ({ keys, malformedKeys: [] })

describe('the report of a key', () => {
  it('the report of a key shows its use, its ban and its ends', () => {
    const { json } = reportKey(usedKey, noon)

    expect(json).toMatchObject({
      perDay: 1_000,
      usedToday: 5_000,
      usedThisMinute: 0,
      lastUsed: '2026-11-02T11:53:00Z',
      bannedUntil: '2026-11-02T12:01:10Z',
      expiresAt: '2026-11-02T13:00:10Z',
      overlapEndsAt: '2026-11-02T12:01:10Z',
      successor: 'key_1',
      predecessor: null,
    })
  })

  it('the report of a key that was never used shows null for its use, its ban and its end', () => {
    const { json } = reportKey(issued.record, noon)

    expect(json).toMatchObject({ lastUsed: null, bannedUntil: null, expiresAt: null })
  })
})

describe('the list of keys', () => {
  it('the list of keys shows a key in one line, with the earlier of its ends', () => {
    const [, line] = reportKeys(createList({ ...usedKey, owner: 'Acme' }), {}, noon).text.split('\n')

    expect(line).toMatch(/^key_\w+ +free +banned +5000\/1000 +2026-11-02T11:53:00Z +2026-11-02T12:01:10Z +Acme$/)
  })

  it.each([
    { filter: {}, owners: ['Acme', 'ACME', 'expired', 'revoked'] },
    { filter: { owner: 'acme' }, owners: ['Acme', 'ACME'] },
    { filter: { plan: 'pro' }, owners: ['ACME'] },
    { filter: { state: 'active' }, owners: ['Acme', 'ACME'] },
    { filter: { state: 'expired' }, owners: ['expired'] },
    { filter: { state: 'revoked', owner: 'nobody' }, owners: [] },
  ])('the list of keys with the filter $filter has the keys of $owners', ({ filter, owners }) => {
    const list = createList(
      createApiKeyRecord({ owner: 'Acme' }),
      createApiKeyRecord({ owner: 'ACME', plan: 'pro' }),
      createApiKeyRecord({ owner: 'expired', expiresAt: noonSeconds }),
      createApiKeyRecord({ owner: 'revoked', state: 'revoked' }),
    )

    const { json } = reportKeys(list, filter, noon)

    expect(json).toMatchObject({ keys: owners.map((owner) => ({ owner })) })
  })
})

describe('an owner with characters that change a terminal', () => {
  const owner = 'Acme\nkey_forged  free  active\u001b[2J\u202e'
  const escapedOwner = 'Acme\\u{a}key_forged  free  active\\u{1b}[2J\\u{202e}'
  const record = { ...usedKey, owner }

  it.each([
    { report: 'the report of a key', text: reportKey(record, noon).text },
    { report: 'the report of a new key', text: reportIssuedKey(noon, { ...issued, record }).text },
    { report: 'the list of keys', text: reportKeys(createList(record), {}, noon).text },
  ])('an owner with characters that change a terminal is escaped in $report', ({ text }) => {
    expect(text).toContain(escapedOwner)
    // Apart from line feeds, no control or format character is left.
    expect(text).not.toMatch(/[^\n\P{C}]/u)
  })

  it('an owner with characters that change a terminal is exact in JSON', () => {
    expect(reportKey(record, noon).json).toMatchObject({ owner })
  })
})

describe('the report of a new key', () => {
  it.each([
    { end: 'the end of its overlap', ends: { overlapEndsAt: noonSeconds + 60 } },
    {
      end: 'its end by contract, which comes before that of its overlap',
      ends: { overlapEndsAt: noonSeconds + 3_600, expiresAt: noonSeconds + 60 },
    },
  ])('the report of a new key shows when the replaced key ends: $end', ({ ends }) => {
    const replaced = createApiKeyRecord({ keyId: 'key_1' as KeyId, ...ends })

    const { json, text } = reportIssuedKey(noon, issued, replaced)

    expect(json).toMatchObject({ apiKey: 'pet_test_x', predecessorEndsAt: '2026-11-02T12:01:10Z' })
    expect(text).toMatch(/\npet_test_x\n\nThe old key key_1 works until 2026-11-02T12:01:10Z\.$/)
  })
})
