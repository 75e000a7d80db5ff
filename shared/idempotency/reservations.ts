import { createHash } from 'node:crypto'
import { type DynamoDBDocumentClient, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb'
import type { IdempotencyScope } from '../api-keys/api-key-record.ts'
import { type Attributes, awaitConditionalWrite } from '../dynamodb/conditional-write.ts'
import { stringifyExactJson } from '../exact-json.ts'
import { type NewPet, newPetFields } from '../pets/pet.ts'

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
  /** Time until which the first request may still be running. */
  readonly lockedUntil: number
  readonly expiresAt: number
}

/** Conditional update of one reservation. */
interface ReservationChange {
  readonly UpdateExpression: string
  readonly ConditionExpression: string
  readonly ExpressionAttributeValues: Attributes
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
    if (outcome.current === undefined) throw new Error('DynamoDB refused a reservation without returning the other.')

    const existing = parseReservation(outcome.current)
    // The SDK retries a call when its response is lost. The retry then finds the reservation of this very request.
    const isOwn = existing.attemptId === reservation.attemptId
    return isOwn ? undefined : existing
  }

  /** Ends the lock of a reservation, unless another one has replaced the reservation. */
  async unlock(id: string, { attemptId }: Reservation): Promise<void> {
    await this.#update(id, {
      UpdateExpression: 'SET lockedUntil = :past',
      ConditionExpression: 'attemptId = :attemptId',
      ExpressionAttributeValues: { ':past': 0, ':attemptId': attemptId },
    })
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
    const outcome = await this.#update(id, {
      UpdateExpression: 'SET petId = :petId',
      ConditionExpression: 'petId = :before AND attemptId = :attemptId',
      ExpressionAttributeValues: { ':petId': newId, ':before': oldId, ':attemptId': attemptId },
    })
    if (outcome.met) return newId

    const current = outcome.current && parseReservation(outcome.current)
    // The id of another attempt belongs to another pet.
    if (current?.attemptId !== attemptId) throw new Error('A reservation expired while it was in use.')
    return current.petId
  }

  #update(id: string, change: ReservationChange) {
    return awaitConditionalWrite(
      this.#client.send(
        new UpdateCommand({
          TableName: this.#table,
          Key: { id },
          ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
          ...change,
        }),
      ),
    )
  }
}

/** Creates the partition key for an idempotency key, within the scope of an API key and its successors. */
export const createReservationId = (scope: IdempotencyScope, idempotencyKey: string): string =>
  `${scope}#${hashText(idempotencyKey)}`

/**
 * Computes a fingerprint of a body. Two bodies have the same one if all their fields are the same, in whatever order.
 */
export const computeFingerprint = (body: NewPet): string => {
  const fields = newPetFields.map((field) => [field, body[field]] as const)
  return hashText(stringifyExactJson(Object.fromEntries(fields)))
}

const hashText = (text: string): string => createHash('sha256').update(text).digest('base64url')

/** @throws Error if the item is not one that this service wrote */
const parseReservation = ({ petId, attemptId, fingerprint, lockedUntil, expiresAt }: Attributes): Reservation => {
  if (
    (typeof petId !== 'number' && typeof petId !== 'bigint') ||
    typeof attemptId !== 'string' ||
    typeof fingerprint !== 'string' ||
    typeof lockedUntil !== 'number' ||
    typeof expiresAt !== 'number'
  ) {
    throw new Error('An item of the idempotency table is not a reservation.')
  }
  return { petId: BigInt(petId), attemptId, fingerprint, lockedUntil, expiresAt }
}
