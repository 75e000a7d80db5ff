import { expect, it } from 'vitest'
import { type KeyId, parseApiKeyRecord } from '../../../../shared/api-keys/api-key-record.ts'
import { createApiKeyRecord } from '../../../fixtures/api-key-record.ts'

/** An item with every attribute of a record. */
const item = createApiKeyRecord({
  contact: 'a@example.org',
  expiresAt: 1_800_000_000,
  overlapEndsAt: 1_800_000_000,
  meteredFrom: 1_800_000_000,
  predecessor: 'key_1' as KeyId,
  successor: 'key_2' as KeyId,
})

it('an item with every attribute is read as a record', () => {
  expect(parseApiKeyRecord(item)).toEqual(item)
})

it.each(Object.keys(item))('an error names the malformed attribute %s of an item', (name) => {
  const malformed = { ...item, [name]: ['wrong'] }

  expect(() => parseApiKeyRecord(malformed)).toThrow(` ${name}.`)
})
