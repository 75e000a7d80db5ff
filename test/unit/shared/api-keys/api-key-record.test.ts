import { expect, it } from 'vitest'
import { type KeyId, parseApiKeyRecord } from '../../../../shared/api-keys/api-key-record.ts'
import { createApiKeyRecord } from '../../../fixtures/api-key-record.ts'

const item = createApiKeyRecord({
  ...{ contact: 'a@example.org', expiresAt: 1_800_000_000, overlapEndsAt: 1_800_000_000, meteredFrom: 1_800_000_000 },
  ...{ predecessor: 'key_1' as KeyId, successor: 'key_2' as KeyId },
})

it.each(Object.keys(item))(
  'an item of the API keys table is refused, by the name of the attribute, with a wrong %s',
  (name) => {
    expect(parseApiKeyRecord(item)).toEqual(item)
    expect(() => parseApiKeyRecord({ ...item, [name]: ['wrong'] })).toThrow(` ${name}.`)
  },
)
