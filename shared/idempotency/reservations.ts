import { createHash } from 'node:crypto'
import { type DynamoDBDocumentClient, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb'
import type { IdempotencyScope } from '../api-keys/api-key-record.ts'
import { type Attributes, awaitConditionalWrite } from '../dynamodb/conditional-write.ts'
import {
  createItemReader,
  createNumberReader,
  malformed,
  readTextAttribute,
  requireValue,
} from '../dynamodb/item-reader.ts'
import { stringifyExactJson } from '../exact-json.ts'
import { type NewPet, type NewPetField, newPetFields } from '../pets/pet.ts'

/**
 * An idempotency key reserves one attempt to create a pet, shared by all requests with the key. The reservation sets
 * the pet's id before the pet is stored. It replaces the id only when the id is taken or void. So exactly one put
 * succeeds, also when some puts are late. Times are Unix seconds.
 */
export interface Reservation {
  readonly petId: bigint
  readonly attemptId: string
  /** SHA-256 of the body that the key was first used with. */
  readonly fingerprint: string
  readonly expiresAt: number
}

/** The idempotency table. */
export class ReservationStore {
  readonly #client: DynamoDBDocumentClient
  readonly #table: string

  constructor(client: DynamoDBDocumentClient, table: string) {
    this.#client = client
    this.#table = table
  }

  /**
   * Reserves an idempotency key, unless it is reserved already.
   *
   * @param now Unix seconds
   * @returns the existing reservation of another request, if there is one
   */
  async reserve(id: string, reservation: Reservation, now: number): Promise<Reservation | undefined> {
    const outcome = await awaitConditionalWrite(
      this.#client.send(
        new PutCommand({
          TableName: this.#table,
          Item: { id, ...reservation },
          // An expired item may still exist: DynamoDB deletes it up to days later.
          ConditionExpression: 'attribute_not_exists(id) OR expiresAt <= :now',
          ExpressionAttributeValues: { ':now': now },
          ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
        }),
      ),
    )
    if (outcome.met) return undefined
    if (outcome.current === undefined)
      throw new Error(`DynamoDB refused the reservation ${id} without returning the other.`)

    const existing = parseReservation(outcome.current)
    // The SDK retries a call when its response is lost. The retry then finds the reservation of this very request.
    const isOwn = existing.attemptId === reservation.attemptId
    return isOwn ? undefined : existing
  }

  /**
   * Replaces the pet id of a reservation, which is taken or void, unless another request has replaced it.
   *
   * @param reservation with the id to replace
   * @returns the current id of the reservation
   * @throws Error if the reservation has expired
   */
  async replacePetId(id: string, reservation: Reservation, newId: bigint): Promise<bigint> {
    const { petId: oldId, attemptId } = reservation
    const outcome = await awaitConditionalWrite(
      this.#client.send(
        new UpdateCommand({
          TableName: this.#table,
          Key: { id },
          UpdateExpression: 'SET petId = :petId',
          ConditionExpression: 'petId = :before AND attemptId = :attemptId',
          ExpressionAttributeValues: { ':petId': newId, ':before': oldId, ':attemptId': attemptId },
          ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
        }),
      ),
    )
    if (outcome.met) return newId

    const current = outcome.current && parseReservation(outcome.current)
    // The id of another attempt belongs to another pet.
    if (current?.attemptId !== attemptId) throw new Error(`The reservation ${id} expired while it was in use.`)
    return current.petId
  }
}

/** Creates the partition key for an idempotency key, within the scope of an API key and its successors. */
export const createReservationId = (scope: IdempotencyScope, idempotencyKey: string): string =>
  `${scope}#${hashText(idempotencyKey)}`

/**
 * Computes a fingerprint of a body. Two bodies have the same one if all their fields are the same, in whatever order. A
 * field that equals its default is left out. So a field that the contract gets later, with a default, does not change
 * the fingerprint of a request that is sent again.
 *
 * @param defaults of the contract, by field
 */
export const computeFingerprint = (body: NewPet, defaults: Readonly<Record<string, unknown>>): string => {
  const isDefault = (field: NewPetField): boolean =>
    stringifyExactJson(body[field]) === stringifyExactJson(defaults[field])
  const fields = newPetFields.filter((field) => !isDefault(field)).map((field) => [field, body[field]] as const)
  return hashText(stringifyExactJson(Object.fromEntries(fields)))
}

const hashText = (text: string): string => createHash('sha256').update(text).digest('base64url')

const readReservation = createItemReader(
  {
    petId: (attribute) =>
      typeof attribute === 'number' || typeof attribute === 'bigint' ? BigInt(attribute) : malformed,
    attemptId: readTextAttribute,
    fingerprint: readTextAttribute,
    expiresAt: createNumberReader(Number.MAX_SAFE_INTEGER),
  },
  ({ id }) => `reservation ${id}`,
)

/** @throws Error that names the reservation and the attribute, if an attribute is malformed */
const parseReservation = (item: Attributes): Reservation => requireValue(readReservation(item))
