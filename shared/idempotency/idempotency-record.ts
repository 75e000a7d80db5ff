import { createHash } from 'node:crypto'
import type { IdempotencyScope } from '../api-keys/api-key-record.ts'
import type { Attributes } from '../dynamodb/conditional-write.ts'
import { createItemReader, readInt64Attribute, readTextAttribute, requireValue } from '../dynamodb/item-reader.ts'
import { stringifyExactJson } from '../exact-json.ts'
import { type NewPet, type NewPetField, newPetFields } from '../pets/pet.ts'

/** The record of a creation with an idempotency key. It is stored together with its pet. */
interface IdempotencyRecord {
  readonly petId: bigint
  /** The attempt that has added the pet (`drawAttemptId`). */
  readonly attemptId: string
  /** SHA-256 of the body that the key was first used with. */
  readonly fingerprint: string
}

/** Time for which a record is kept: 24 hours, and a minute because clocks of instances differ. */
const keptSeconds = 24 * 60 * 60 + 60

/** Creates the conditional write that stores a record, unless the idempotency key has one that has not expired. */
export const createRecordPut = (tableName: string, id: string, record: IdempotencyRecord, nowSeconds: number) => ({
  TableName: tableName,
  Item: { id, ...record, expiresAt: nowSeconds + keptSeconds },
  // An expired item may still exist: DynamoDB deletes it up to days later.
  ConditionExpression: 'attribute_not_exists(id) OR expiresAt <= :now',
  ExpressionAttributeValues: { ':now': nowSeconds },
  ReturnValuesOnConditionCheckFailure: 'ALL_OLD' as const,
})

/** Creates the partition key for an idempotency key, within the scope of an API key and its successors. */
export const createRecordId = (scope: IdempotencyScope, idempotencyKey: string): string =>
  `${scope}#${hashText(idempotencyKey)}`

/**
 * Computes a fingerprint of a body. Two bodies have the same one if all their fields are the same, in whatever order. A
 * field that equals its default is left out. So a field that the contract gets later, with a default, does not change
 * the fingerprint of a request that is sent again.
 *
 * @param defaults values of the fields that a request may leave out
 */
export const computeFingerprint = (body: NewPet, defaults: Readonly<Record<string, unknown>>): string => {
  const isDefault = (field: NewPetField): boolean =>
    stringifyExactJson(body[field]) === stringifyExactJson(defaults[field])
  const fields = newPetFields.filter((field) => !isDefault(field)).map((field) => [field, body[field]] as const)
  return hashText(stringifyExactJson(Object.fromEntries(fields)))
}

const hashText = (text: string): string => createHash('sha256').update(text).digest('base64url')

const readRecord = createItemReader(
  {
    petId: readInt64Attribute,
    attemptId: readTextAttribute,
    fingerprint: readTextAttribute,
  },
  ({ id }) => `idempotency record ${id}`,
)

/** @throws Error that names the record and the attribute, if an attribute is malformed */
export const parseRecord = (item: Attributes): IdempotencyRecord => requireValue(readRecord(item))
