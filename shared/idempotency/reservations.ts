import { createHash } from 'node:crypto'
import { type DynamoDBDocumentClient, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb'
import type { IdempotencyScope } from '../api-keys/api-key-record.ts'
import { type Attributes, awaitConditionalWrite } from '../dynamodb/conditional-write.ts'
import { stringifyExactJson } from '../exact-json.ts'
import { type NewPet, newPetFields } from '../pets/pet.ts'

/**
 * An idempotency key reserves one attempt to create a pet, shared by all requests with the key. The reservation sets the
 * pet's id before the pet is stored, and replaces it only when it is taken or void. So exactly one put succeeds, also
 * when some puts are late. Times are Unix seconds.
 */
export interface Reservation {
  readonly petId: bigint
  readonly attemptId: string
  /** The SHA-256 of the body that the key was first used with. */
  readonly fingerprint: string
  /** Until then the first request may still be running. */
  readonly lockedUntil: number
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

  /** Reserves an idempotency key, unless it is reserved already. `now` is in Unix seconds. @returns the existing reservation */
  async reserve(id: string, reservation: Reservation, now: number): Promise<Reservation | undefined> {
    const outcome = await awaitConditionalWrite(
      this.#client.send(
        new PutCommand({
          TableName: this.#table,
          Item: { id, ...reservation },
          // DynamoDB may delete an expired item days later.
          ConditionExpression: 'attribute_not_exists(id) OR expiresAt <= :now',
          ExpressionAttributeValues: { ':now': now },
          ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
        }),
      ),
    )
    if (outcome.met) return undefined
    if (outcome.current === undefined) throw new Error('DynamoDB refused a reservation without returning the other.')
    const existing = parseReservation(outcome.current)
    // The SDK retries a call when its response is lost.
    return existing.attemptId === reservation.attemptId ? undefined : existing
  }

  /** Ends the lock of a reservation, unless another one has replaced it. */
  async unlock(id: string, { attemptId }: Reservation): Promise<void> {
    await this.#change(id, 'lockedUntil = :past', 'attemptId = :attemptId', { ':past': 0, ':attemptId': attemptId })
  }

  /**
   * Replaces the pet id of a reservation, which is taken or void, unless another request has done so.
   *
   * @returns the current id
   * @throws Error where the reservation has expired
   */
  async replacePetId(id: string, { petId: before, attemptId }: Reservation, petId: bigint): Promise<bigint> {
    const values = { ':petId': petId, ':before': before, ':attemptId': attemptId }
    const outcome = await this.#change(id, 'petId = :petId', 'petId = :before AND attemptId = :attemptId', values)
    if (outcome.met) return petId
    const current = outcome.current && parseReservation(outcome.current)
    // The id of another attempt belongs to another pet.
    if (current?.attemptId !== attemptId) throw new Error('A reservation expired while it was in use.')
    return current.petId
  }

  #change(id: string, change: string, ConditionExpression: string, ExpressionAttributeValues: Attributes) {
    return awaitConditionalWrite(
      this.#client.send(
        new UpdateCommand({
          ...{ TableName: this.#table, Key: { id }, UpdateExpression: `SET ${change}` },
          ...{ ConditionExpression, ExpressionAttributeValues, ReturnValuesOnConditionCheckFailure: 'ALL_OLD' },
        }),
      ),
    )
  }
}

/** The partition key of an idempotency key, within the scope of an API key and its successors. */
export const createReservationId = (scope: IdempotencyScope, idempotencyKey: string): string =>
  `${scope}#${sha256(idempotencyKey)}`

/** Differs where any field of the body differs. */
export const computeFingerprint = (body: NewPet): string =>
  sha256(stringifyExactJson(Object.fromEntries(newPetFields.map((field) => [field, body[field]]))))

const sha256 = (text: string): string => createHash('sha256').update(text).digest('base64url')

/** @throws Error when the item is not one that this service wrote. */
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
