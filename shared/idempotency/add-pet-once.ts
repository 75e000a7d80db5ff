import { randomUUID } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import type { Clock } from '../clock.ts'
import type { Attributes } from '../dynamodb/conditional-write.ts'
import { ServiceError } from '../errors/service-error.ts'
import { drawAttemptId } from '../pets/add-pet.ts'
import { assignPetId, type NewPet, newPetDefaults, type Pet } from '../pets/pet.ts'
import { drawPetId, readDrawTime } from '../pets/pet-id.ts'
import type { PetTable, PutOptions } from '../pets/pet-table.ts'
import { putWithRecord } from '../pets/put-with-record.ts'
import { operationTimeoutSeconds } from '../timeouts.ts'
import { computeFingerprint, createRecordPut, parseRecord } from './idempotency-record.ts'

/**
 * Maximum age of an id under which a pet is stored. Callers who follow new pets read back by a minute, so they would
 * miss a pet that appears later under an old id. A request ends earlier than this, unless its instance is frozen
 * meanwhile ("Lambda execution environment lifecycle"), or sleeps as a laptop does.
 */
const maximumIdAgeMilliseconds = operationTimeoutSeconds * 1_000

/** The maximum wait before a canceled transaction is sent again. It doubles each time, up to the longest one. */
const maximumFirstWaitMilliseconds = 20
const longestWaitMilliseconds = 1_000

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

/** One transaction. It is sent again as it is while its outcome is not known. */
interface Transaction {
  readonly pet: Pet
  readonly recordPut: ReturnType<typeof createRecordPut>
  readonly token: string
}

/**
 * Adds the pet of an idempotency key once, also when requests fail, are retried, or run at the same time. One
 * transaction stores the pet and the idempotency record, so a record always has its pet.
 *
 * The condition of the record decides which of several requests adds the pet, however late one of their transactions
 * is. So a request may go on under another id, although its former transaction may still be under way: if that one was
 * first, the record has the attempt id of this request and the pet id of that transaction.
 *
 * @param recordId of the idempotency key (`createRecordId`)
 * @throws ServiceError `idempotency_key_reused` if the key was first used with another body
 */
export const addPetOnce = async (
  { pets, idempotencyTable }: Tables,
  recordId: string,
  newPet: NewPet,
  clock: Clock,
  options: PutOptions = {},
): Promise<AddedPet> => {
  const attemptId = drawAttemptId()
  const fingerprint = computeFingerprint(newPet, newPetDefaults)

  const createTransaction = (): Transaction => {
    const now = clock()
    const pet = assignPetId(drawPetId(now), newPet)
    const record = { petId: pet.id, attemptId, fingerprint }
    const recordPut = createRecordPut(idempotencyTable, recordId, record, Math.floor(now / 1_000))
    return { pet, recordPut, token: randomUUID() }
  }

  /** Judges the record that the idempotency key has already. */
  const useRecord = (item: Attributes): AddedPet => {
    const record = parseRecord(item)
    if (record.fingerprint !== fingerprint) throw new ServiceError('idempotency_key_reused')
    return { pet: assignPetId(record.petId, newPet), replayed: record.attemptId !== attemptId }
  }

  let transaction = createTransaction()
  for (let waits = 0; ; ) {
    const { pet, recordPut, token } = transaction
    const outcome = await putWithRecord(pets, { pet, attemptId, recordPut, token }, options)
    switch (outcome.kind) {
      case 'stored':
        return { pet, replayed: false }
      case 'recorded':
        return useRecord(outcome.record)
      case 'taken':
        transaction = createTransaction()
        continue
    }

    // The signal ends the waits when the time of the request is over.
    const longestWait = Math.min(maximumFirstWaitMilliseconds * 2 ** waits, longestWaitMilliseconds)
    await setTimeout(Math.random() * longestWait, undefined, options)
    waits += 1

    // A transaction in progress keeps its id and its token, by which DynamoDB knows it, while the id is young.
    const isIdOld = clock() - readDrawTime(pet.id) > maximumIdAgeMilliseconds
    if (outcome.kind === 'canceled' || isIdOld) transaction = createTransaction()
  }
}
