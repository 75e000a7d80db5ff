import { createKeyReader, type StoredKey } from '../api-keys/api-key-record.ts'
import type { Attributes } from '../dynamodb/conditional-write.ts'
import { type ReadValue, requireValue } from '../dynamodb/item-reader.ts'

/**
 * Reads what the authorizer needs of a key. Requests of a key cannot be counted without the needed attributes. The
 * wanted ones are ignored if they are malformed: they only choose the usage plan in which API Gateway counts the
 * requests too, and without them it is the one without limits (`functions/authorizer/metering.ts`). So a key whose plan
 * this version does not know, for example after a rollback, works: its own limits still apply.
 */
const readCountedKey = createKeyReader({
  needed: [
    'keyId',
    'idempotencyScope',
    'scope',
    'state',
    'expiresAt',
    'overlapEndsAt',
    'minuteLimit',
    'minuteWindow',
    'minuteCount',
    'dayLimit',
    'dayWindow',
    'dayCount',
    'refusalCount',
    'banCount',
    'bannedUntil',
  ],
  wanted: ['plan', 'gatewayKey', 'meteredFrom'],
})

/** A key whose requests are counted. */
export type CountedKey = ReadValue<ReturnType<typeof readCountedKey>>

/**
 * Parses a key whose requests are counted. A revoked key is `undefined`: it is refused, whatever else its item has.
 *
 * @throws Error that names the key and the attribute, if an attribute is malformed
 */
export const parseCountedKey = (item: Attributes): CountedKey | undefined => {
  if (item['state'] === 'revoked') return undefined
  // Each item has the partition key of its table, which is always a KeyHash.
  return requireValue(readCountedKey(item as StoredKey))
}
