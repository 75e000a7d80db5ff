import { expect, it } from 'vitest'
import type { KeyList } from '../../../../../infra/commands/keys/find-key.ts'
import { type KeyFilter, reportKey, reportKeys, reportRotation } from '../../../../../infra/commands/keys/key-report.ts'
import { hashApiKey } from '../../../../../shared/api-keys/api-key.ts'
import type { ApiKeyRecord, KeyId } from '../../../../../shared/api-keys/api-key-record.ts'
import { computeWindowNumber } from '../../../../../shared/rate-limit/windows.ts'
import { createApiKeyRecord } from '../../../../fixtures/service/api-key-record.ts'
import { testTime } from '../../../../fixtures/service/clock.ts'

/** The test time in Unix seconds: 2026-11-02T12:00:10Z. */
const testTimeSeconds = testTime / 1_000

const issued = { apiKey: 'pet_test_x', keyHash: hashApiKey('pet_test_x'), record: createApiKeyRecord() }

/**
 * A key with everything that a report can show, last used seven minutes ago. Its counts are those of a minute and a
 * day, each of which has a number.
 */
const usedKey = createApiKeyRecord({
  minuteWindow: computeWindowNumber('minute', testTimeSeconds) - 7,
  minuteCount: 12,
  dayWindow: computeWindowNumber('day', testTimeSeconds),
  dayCount: 5_000,
  refusedAt: testTimeSeconds - 70,
  bannedUntil: testTimeSeconds + 60,
  expiresAt: testTimeSeconds + 3_600,
  overlapEndsAt: testTimeSeconds + 60,
  successor: 'key_1' as KeyId,
})

const daySeconds = 24 * 3_600

/** Creates a list of keys that can all be read. */
const createList = (...keys: readonly ApiKeyRecord[]): KeyList => ({ keys, malformedKeys: [] })

it('the report of a key shows its use, its last refusal, its ban, and the ends of the key and of its overlap', () => {
  const { json } = reportKey(usedKey, testTimeSeconds)

  expect(json).toMatchObject({
    perDay: 1_000,
    usedToday: 5_000,
    usedThisMinute: 0,
    lastUsedInMinute: '2026-11-02T11:53Z',
    refusedAt: '2026-11-02T11:59:00Z',
    bannedUntil: '2026-11-02T12:01:10Z',
    expiresAt: '2026-11-02T13:00:10Z',
    overlapEndsAt: '2026-11-02T12:01:10Z',
    successor: 'key_1',
    predecessor: null,
  })
})

it('the list of keys shows a key in one line, with the end of its overlap if the key ends later', () => {
  const [, line] = reportKeys(createList({ ...usedKey, owner: 'Acme' }), {}, testTimeSeconds).text.split('\n')

  expect(line).toMatch(/^key_\w+ +free +banned +5000\/1000 +2026-11-02T11:53Z +2026-11-02T12:01:10Z +Acme$/)
})

it.each([
  { state: 'active', change: {} },
  { state: 'replaced', change: { successor: 'key_1' as KeyId, overlapEndsAt: testTimeSeconds + 1 } },
  { state: 'expired', change: { successor: 'key_1' as KeyId, overlapEndsAt: testTimeSeconds } },
  { state: 'banned', change: { bannedUntil: testTimeSeconds + 1, successor: 'key_1' as KeyId } },
  { state: 'active', change: { bannedUntil: testTimeSeconds } },
  { state: 'revoked', change: { state: 'revoked' as const, bannedUntil: testTimeSeconds + 1 } },
  { state: 'unused successor', change: { predecessor: 'key_1' as KeyId } },
])('the list and the report of a key show $change as $state', ({ state, change }) => {
  const record = createApiKeyRecord(change)

  const list = reportKeys(createList(record), {}, testTimeSeconds)
  const report = reportKey(record, testTimeSeconds)

  expect(list.text).toMatch(new RegExp(`^key_\\w+ +free +${state}  `, 'm'))
  expect(list.json).toMatchObject({ keys: [{ state }] })
  expect(report.text).toMatch(new RegExp(`^state +${state}$`, 'm'))
  expect(report.json).toMatchObject({ state })
})

it('the list of keys shows when a key was revoked', () => {
  const revoked = createApiKeyRecord({
    state: 'revoked',
    expiresAt: testTimeSeconds + 60,
    revokedAt: testTimeSeconds - 10,
  })

  const { json, text } = reportKeys(createList(revoked), {}, testTimeSeconds)

  expect(text).toMatch(/ revoked +0\/1000 +never +2026-11-02T12:00:00Z /)
  expect(json).toMatchObject({ keys: [{ state: 'revoked', revokedAt: '2026-11-02T12:00:00Z' }] })
})

it('the list of keys says that no key matches', () => {
  const { text, json } = reportKeys(createList(issued.record), { owner: 'nobody' }, testTimeSeconds)

  expect({ text, json }).toEqual({ text: 'No API key matches.', json: { keys: [], malformed: [] } })
})

it.each<{ filter: KeyFilter; owners: readonly string[] }>([
  { filter: {}, owners: ['Acme', 'ACME Zoo', 'banned', 'replaced', 'expired', 'revoked'] },
  { filter: { owner: 'acme' }, owners: ['Acme', 'ACME Zoo'] },
  { filter: { state: 'expired' }, owners: ['expired'] },
  { filter: { state: 'expired', owner: 'acme' }, owners: [] },
  { filter: { expiresWithin: 2 }, owners: ['banned', 'replaced'] },
  { filter: { expiresWithin: 1 }, owners: ['replaced'] },
])('the list of keys with the filter $filter has the keys of $owners', ({ filter, owners }) => {
  const list = createList(
    createApiKeyRecord({ owner: 'Acme' }),
    createApiKeyRecord({ owner: 'ACME Zoo' }),
    createApiKeyRecord({
      owner: 'banned',
      bannedUntil: testTimeSeconds + 1,
      expiresAt: testTimeSeconds + 2 * daySeconds,
    }),
    createApiKeyRecord({
      owner: 'replaced',
      successor: 'key_1' as KeyId,
      overlapEndsAt: testTimeSeconds + daySeconds,
      expiresAt: testTimeSeconds + 9 * daySeconds,
    }),
    createApiKeyRecord({ owner: 'expired', expiresAt: testTimeSeconds }),
    createApiKeyRecord({ owner: 'revoked', state: 'revoked', expiresAt: testTimeSeconds + daySeconds }),
  )

  const { json } = reportKeys(list, filter, testTimeSeconds)

  expect(json).toMatchObject({ keys: owners.map((owner) => ({ owner })) })
})

it('an owner with characters that change a terminal is escaped in reports, and exact in JSON', () => {
  const owner = 'Acme\nkey_forged  free  active\u001b[2J\u202e'
  const record = { ...usedKey, owner }

  const report = reportKey(record, testTimeSeconds)
  const list = reportKeys(createList(record), {}, testTimeSeconds)

  for (const text of [report.text, list.text]) {
    expect(text).toContain('Acme\\u{a}key_forged  free  active\\u{1b}[2J\\u{202e}')
    // \P{C} is any character that is neither a control nor a format character: apart from line feeds, none is left.
    expect(text).not.toMatch(/[^\n\P{C}]/u)
  }
  expect(report.json).toMatchObject({ owner })
})

it('the report of a rotation has the end of the replaced key, and an earlier successor', () => {
  const replaced = { replacedId: 'key_0' as KeyId, replacedEndsAt: testTimeSeconds + 60 }
  const rotation = { ...issued, ...replaced, earlierSuccessor: 'key_1' as KeyId }

  const { json, text } = reportRotation(rotation, testTimeSeconds)

  expect(json).toMatchObject({ apiKey: 'pet_test_x', predecessorEndsAt: '2026-11-02T12:01:10Z' })
  expect(text).toMatch(/^pet_test_x$/m)
  expect(text).toContain('It had the successor key_1 already')
})
