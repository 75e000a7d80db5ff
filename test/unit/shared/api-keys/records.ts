import { type ApiKeyRecord, type KeyId, newApiKeyRecord, scopeOf } from '../../../../shared/api-keys/api-key-record.ts'

// The id of a key that was never issued.
const keyId = 'key_0mhi3d2k5a7b3c9d1e' as KeyId

/** The record of a key with limits that no change of a plan changes, and with whatever else a test is about. */
export const apiKeyRecord = (change: Partial<ApiKeyRecord> = {}): ApiKeyRecord => ({
  ...newApiKeyRecord({
    keyId,
    idempotencyScope: scopeOf(keyId),
    owner: 'the unit tests',
    plan: 'free',
    createdAt: 1_790_000_000,
    minuteLimit: 60,
    dayLimit: 1_000,
  }),
  ...change,
})
