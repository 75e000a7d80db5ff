import { newKey } from '../../../../infra/operations/keys/key.ts'
import type {
  ApiKeyRecord,
  GatewayKeyValue,
  IdempotencyScope,
  KeyId,
} from '../../../../shared/api-keys/api-key-record.ts'
import { noon } from '../../../fixtures/settable-clock.ts'

const order = { owner: 'the unit tests', plan: 'free', allowance: { perMinute: 60, perDay: 1_000 } } as const

/** The record of a key with limits that no change of a plan changes, and with whatever else a test is about. */
export const apiKeyRecord = (change: Partial<ApiKeyRecord> = {}): ApiKeyRecord => ({
  ...newKey('pet_test_', noon, order).record,
  // The names of a key that was never issued.
  keyId: 'key_0mhi3d2k5a7b3c9d1e' as KeyId,
  idempotencyScope: 'key_0mhi3d2k5a7b3c9d1e' as IdempotencyScope,
  gatewayKey: 'GatewayKeyOfTheUnitTests' as GatewayKeyValue,
  ...change,
})
