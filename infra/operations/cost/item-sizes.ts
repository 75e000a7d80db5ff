import type { AttributeValue } from '@aws-sdk/client-dynamodb'
import { marshall } from '@aws-sdk/util-dynamodb'
import { hashApiKey } from '../../../shared/api-keys/api-key.ts'
import { type KeyId, newApiKeyRecord, newGatewayKeyValue, scopeOf } from '../../../shared/api-keys/api-key-record.ts'
import { apiKeysTableSchema } from '../../../shared/api-keys/api-keys-table-schema.ts'
import { fixedPlans } from '../../../shared/api-keys/plans.ts'
import { stringifyExactJson } from '../../../shared/exact-json.ts'
import { fingerprintOf, type Reservation, reservationId } from '../../../shared/idempotency/reservations.ts'
import { newAttemptId } from '../../../shared/pets/add-pet.ts'
import type { Pet } from '../../../shared/pets/pet.ts'
import { newPetId } from '../../../shared/pets/pet-id.ts'
import { newWriteId } from '../../../shared/rate-limit/request-counter.ts'
import { windowAt } from '../../../shared/rate-limit/windows.ts'
import { seededPet } from '../seed/seeded-pet.ts'

/**
 * The bytes of an item, as "DynamoDB item sizes and formats" of AWS counts them: the names of its attributes, and
 * text in UTF-8; for a number one byte for two digits and one more. The items of this service have nothing else.
 */
export const itemSize = (item: Readonly<Record<string, unknown>>): number =>
  Object.entries(marshall(item, { removeUndefinedValues: true }))
    .map(([name, value]) => Buffer.byteLength(name) + valueSize(value))
    .reduce((all, one) => all + one, 0)

const valueSize = ({ S, N }: AttributeValue): number => {
  if (S !== undefined) return Buffer.byteLength(S)
  if (N === undefined) throw new Error('An item of this service has text and numbers only.')
  const significant = N.replace('-', '').replace(/^0+|0+$/g, '').length
  return Math.ceil(significant / 2) + 1 + (N.startsWith('-') ? 1 : 0)
}

/** An ordinary moment of the service, for items as they are in use. */
const moment = Date.UTC(2026, 10, 2, 9, 30, 17, 400)

/** The seeded pets' names and statuses, with the ids of today. */
const typicalPets: readonly Pet[] = Array.from({ length: 1_000 }, (_, index) => ({
  ...seededPet(index),
  id: newPetId(moment + index, () => index),
}))

const mean = (sizes: readonly number[]): number => sizes.reduce((all, one) => all + one, 0) / sizes.length

const keyId = `key_${'0'.repeat(17)}` as KeyId

const apiKeyItem = {
  keyHash: hashApiKey('a key'),
  kind: 'api-key',
  ...newApiKeyRecord({
    keyId,
    idempotencyScope: scopeOf(keyId),
    owner: 'The animal shelter of the town',
    plan: 'business',
    createdAt: Math.floor(moment / 1_000),
    minuteLimit: fixedPlans.business.perMinute,
    dayLimit: fixedPlans.business.perDay,
    gatewayKey: newGatewayKeyValue(),
    meteredFrom: Math.floor(moment / 1_000),
  }),
  lastWrite: newWriteId(),
  minuteWindow: windowAt('minute', moment),
  minuteCount: 123,
  dayWindow: windowAt('day', moment),
  dayCount: 12_345,
}

const reservation: Reservation = {
  petId: newPetId(moment, () => 1),
  attemptId: newAttemptId(),
  fingerprint: fingerprintOf({ name: 'Bella', categoryId: 1n, status: 'available' }),
  lockedUntil: Math.floor(moment / 1_000),
  expiresAt: Math.floor(moment / 1_000),
}

/** The bytes of typical items, and of a pet in a response. */
export const sizes = {
  pet: mean(typicalPets.map((pet) => itemSize({ ...pet, attemptId: newAttemptId(), addedBy: keyId }))),
  apiKey: itemSize(apiKeyItem),
  /** What the index of key ids has of it. */
  apiKeyInIndex: itemSize(
    Object.fromEntries(
      Object.entries(apiKeyItem).filter(([name]) =>
        ['keyHash', 'kind', 'keyId', ...apiKeysTableSchema.keyIdIndex.projected].includes(name),
      ),
    ),
  ),
  reservation: itemSize({ id: reservationId(scopeOf(keyId), 'an idempotency key'), ...reservation }),
  petInResponse: mean(typicalPets.map((pet) => Buffer.byteLength(stringifyExactJson(pet)) + 1)),
} as const
