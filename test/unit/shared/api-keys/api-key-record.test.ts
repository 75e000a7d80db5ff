import { expect, it } from 'vitest'
import { hashApiKey } from '../../../../shared/api-keys/api-key.ts'
import { type KeyId, readApiKey } from '../../../../shared/api-keys/api-key-record.ts'
import { createApiKeyRecord, createStoredKey } from '../../../fixtures/service/api-key-record.ts'

/** A record with every attribute. */
const record = createApiKeyRecord({
  contact: 'a@example.org',
  expiresAt: 1_800_000_000,
  overlapEndsAt: 1_800_000_000,
  revokedAt: 1_800_000_000,
  meteredFrom: 1_800_000_000,
  refusedAt: 1_800_000_000,
  predecessor: 'key_1' as KeyId,
  successor: 'key_2' as KeyId,
})

const stored = createStoredKey({ keyHash: hashApiKey('pet_test_x'), record })

it('an item with every attribute is read as a record', () => {
  expect(readApiKey(stored)).toEqual({ kind: 'read', value: record, item: stored })
})

it.each(Object.keys(record))(
  'a key with a malformed %s is malformed, and the result names the attribute',
  (attribute) => {
    const item = { ...stored, [attribute]: ['wrong'] }

    expect(readApiKey(item)).toMatchObject({ kind: 'malformed', attribute, item })
  },
)

it('a malformed key is named by its id', () => {
  expect(readApiKey({ ...stored, plan: 'retired' })).toMatchObject({ name: `API key ${record.keyId}` })
})

it('a malformed key without an id is named by its hash', () => {
  expect(readApiKey({ ...stored, keyId: undefined })).toMatchObject({ name: `API key ${stored.keyHash}` })
})

// Reports write each time, and the beginning of each window, as a date, so they must be dates that JavaScript has. A
// window is the number of a minute or a day since 1970. A limit beyond 2^53 is read as a bigint.
it.each([
  { attribute: 'expiresAt', value: 1e13 },
  { attribute: 'bannedUntil', value: -1 },
  { attribute: 'createdAt', value: 1.5 },
  { attribute: 'minuteWindow', value: 1e12 },
  { attribute: 'dayWindow', value: 1e9 },
  { attribute: 'dayLimit', value: 10n ** 20n },
  { attribute: 'minuteLimit', value: 0 },
  { attribute: 'dayLimit', value: 0 },
])('the value $value of $attribute is malformed', ({ attribute, value }) => {
  expect(readApiKey({ ...stored, [attribute]: value })).toMatchObject({ kind: 'malformed', attribute })
})
