import { TransactWriteCommand, type TransactWriteCommandInput } from '@aws-sdk/lib-dynamodb'
import type { Attributes } from '../dynamodb/conditional-write.ts'
import { awaitTransaction } from '../dynamodb/transaction.ts'
import type { Pet } from './pet.ts'
import type { PetTable, PutOptions } from './pet-table.ts'

/** A pet to store, together with a record of another table. */
interface PetWithRecord {
  readonly pet: Pet
  readonly attemptId: string
  /** The conditional write that stores the record. */
  readonly recordPut: RecordPut
  /** `ClientRequestToken`, by which DynamoDB makes a transaction once that is sent again within ten minutes. */
  readonly token: string
}

type RecordPut = NonNullable<NonNullable<TransactWriteCommandInput['TransactItems']>[number]['Put']>

/**
 * Outcome of storing a pet together with a record.
 *
 * - `stored`: both are stored.
 * - `recorded`: neither is stored, because the condition of the record was not met.
 * - `taken`: neither is stored, because another pet has the id, or had it until it was removed.
 * - `canceled`, `in progress`: as in `TransactionOutcome`.
 */
export type PutWithRecordOutcome =
  | { readonly kind: 'stored' | 'taken' | 'canceled' | 'in progress' }
  /** `record` is the item that did not meet the condition. */
  | { readonly kind: 'recorded'; readonly record: Attributes }

/**
 * Stores a new pet and a record, both or none. It is no method of `PetTable`, so that only the bundle of the function
 * that needs transactions has them.
 */
export const putWithRecord = async (
  table: PetTable,
  { pet, attemptId, recordPut, token }: PetWithRecord,
  { addedBy, signal }: PutOptions = {},
): Promise<PutWithRecordOutcome> => {
  const transaction = new TransactWriteCommand({
    TransactItems: [
      { Put: table.createPut(pet, attemptId, addedBy) },
      { Put: { ...recordPut, ReturnValuesOnConditionCheckFailure: 'ALL_OLD' } },
    ],
    ClientRequestToken: token,
  })
  const outcome = await awaitTransaction(table.client.send(transaction, signal && { abortSignal: signal }))
  if (outcome.kind === 'done') return { kind: 'stored' }
  if (outcome.kind !== 'unmet') return outcome

  const [_pet, record] = outcome.items
  return record === undefined ? { kind: 'taken' } : { kind: 'recorded', record }
}
