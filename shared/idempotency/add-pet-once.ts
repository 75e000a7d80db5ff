import { setTimeout } from 'node:timers/promises'
import {
  type DynamoDBDocumentClient,
  TransactWriteCommand,
  type TransactWriteCommandInput,
} from '@aws-sdk/lib-dynamodb'
import type { Clock } from '../clock.ts'
import { findUnmetItems, type UnmetItems } from '../dynamodb/conditional-write.ts'
import { isInConflict } from '../dynamodb/unavailable.ts'
import { drawAttemptId, drawPetId } from '../pets/add-pet.ts'
import { assignPetId, type NewPet, newPetDefaults, type Pet } from '../pets/pet.ts'
import type { PetTable, PutOptions } from '../pets/pet-table.ts'
import { ServiceError } from '../service-error.ts'
import { computeFingerprint, createRecordPut, parseRecord } from './idempotency-record.ts'

export interface Tables {
  readonly pets: PetTable
  /** Name of the table with the idempotency records. */
  readonly idempotencyTable: string
}

export interface AddedPet {
  readonly pet: Pet
  /** Whether an earlier request with the same key has added the pet. */
  readonly replayed: boolean
}

/**
 * Adds the pet of an idempotency key once, also when requests fail, are retried, or run at the same time. One
 * transaction stores the pet and the idempotency record, so a record always has its pet. The record is stored on
 * condition that there is none, so only one of several requests adds the pet, however late their transactions are. Both
 * have the id of the attempt, which is the work of one request (`pets/add-pet.ts`).
 *
 * @param recordId id of the idempotency record (`createRecordId`)
 * @throws ServiceError `idempotency_key_reused` if the key was first used with another body
 */
export const addPetOnce = async (
  { pets, idempotencyTable }: Tables,
  recordId: string,
  newPet: NewPet,
  clock: Clock,
  { addedBy, signal }: PutOptions = {},
): Promise<AddedPet> => {
  const attemptId = drawAttemptId()
  const fingerprint = computeFingerprint(newPet, newPetDefaults)

  for (;;) {
    const now = clock()
    const pet = assignPetId(drawPetId(now), newPet)
    const record = { petId: pet.id, attemptId, fingerprint }
    const recordPut = createRecordPut(idempotencyTable, recordId, record, Math.floor(now / 1_000))
    const writes = [{ Put: pets.createPut(pet, attemptId, addedBy) }, { Put: recordPut }]
    const unmetItems = await sendUntilDecided(pets.client, writes, signal)
    if (unmetItems === undefined) return { pet, replayed: false }

    // The items stand in the order of the writes, so the second one is the record.
    const [, storedRecord] = unmetItems
    // Without a stored record, the condition that is unmet is the pet's: another pet has the drawn id, perhaps a
    // removed one, whose item stays. So another id is drawn.
    if (storedRecord === undefined) continue

    const { petId, attemptId: firstAttemptId, fingerprint: firstFingerprint } = parseRecord(storedRecord)
    if (firstFingerprint !== fingerprint) throw new ServiceError('idempotency_key_reused')
    // The record may be this attempt's own: a transaction whose response was lost was made, and then sent again.
    return { pet: assignPetId(petId, newPet), replayed: firstAttemptId !== attemptId }
  }
}

/** The maximum waits before a transaction in conflict is sent again, in milliseconds. Each wait is random. */
const maximumWaits = [200, 400, 800, 1_600, 1_600]

/**
 * Sends a transaction until DynamoDB has made or refused it. The SDK draws a new `ClientRequestToken` for each send
 * here, so DynamoDB does not recognize it as the same transaction. It is made once all the same, because its own writes
 * make its conditions unmet.
 *
 * @returns the items that did not meet their conditions; undefined if the transaction is made
 * @throws the error of the transaction if a conflict outlasts the waits, and any other error at once
 */
const sendUntilDecided = async (
  client: DynamoDBDocumentClient,
  writes: TransactWriteCommandInput['TransactItems'],
  signal: AbortSignal | undefined,
): Promise<UnmetItems | undefined> => {
  for (const maximumWait of maximumWaits) {
    try {
      return await sendTransaction(client, writes, signal)
    } catch (error) {
      if (!isInConflict(error)) throw error
    }
    await setTimeout(Math.random() * maximumWait, undefined, { signal })
  }
  return await sendTransaction(client, writes, signal)
}

const sendTransaction = async (
  client: DynamoDBDocumentClient,
  writes: TransactWriteCommandInput['TransactItems'],
  signal: AbortSignal | undefined,
): Promise<UnmetItems | undefined> => {
  try {
    await client.send(new TransactWriteCommand({ TransactItems: writes }), signal && { abortSignal: signal })
    return undefined
  } catch (error) {
    const unmetItems = findUnmetItems(error)
    if (unmetItems === undefined) throw error
    return unmetItems
  }
}
