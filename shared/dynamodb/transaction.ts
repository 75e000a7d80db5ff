import { TransactionCanceledException, TransactionInProgressException } from '@aws-sdk/client-dynamodb'
import { type Attributes, unmarshallItem } from './conditional-write.ts'

/**
 * The outcome of a transaction. DynamoDB makes all its writes or none.
 *
 * - `done`: the writes are made, now or by an earlier call with the same token.
 * - `unmet`: no write is made, because conditions were not met.
 * - `canceled`: no write is made, because of other writes of the items, or of too many. It can succeed later.
 * - `in progress`: an earlier call with the same token has not ended. Its outcome is not known.
 */
export type TransactionOutcome =
  | { readonly kind: 'done' }
  | { readonly kind: 'unmet'; readonly items: UnmetItems }
  | { readonly kind: 'canceled' | 'in progress' }

/**
 * For each write of a transaction, the item that did not meet its condition; undefined if the condition was met. The
 * item is empty if there is none, or the write does not ask for `ReturnValuesOnConditionCheckFailure: ALL_OLD`.
 */
export type UnmetItems = readonly (Attributes | undefined)[]

/**
 * Awaits a transaction. Every error that is no outcome is rethrown.
 *
 * @example const outcome = await awaitTransaction(client.send(new TransactWriteCommand({ TransactItems, ... })))
 */
export const awaitTransaction = async (transaction: Promise<unknown>): Promise<TransactionOutcome> => {
  try {
    await transaction
    return { kind: 'done' }
  } catch (error) {
    const items = findUnmetItems(error)
    if (items !== undefined) return { kind: 'unmet', items }
    if (error instanceof TransactionInProgressException) return { kind: 'in progress' }
    if (isCanceledForNow(error)) return { kind: 'canceled' }
    throw error
  }
}

/** Finds what did not meet the conditions of a transaction; undefined if that is not why it has failed. */
export const findUnmetItems = (error: unknown): UnmetItems | undefined => {
  const items = readCancellationReasons(error).map(({ Code, Item }) =>
    Code === 'ConditionalCheckFailed' ? (unmarshallItem(Item) ?? {}) : undefined,
  )
  return items.some((item) => item !== undefined) ? items : undefined
}

/**
 * Cancellation reasons of a transaction that can succeed later: an item is in another transaction, or is throttled
 * (DynamoDB API Reference, "TransactWriteItems", Errors). The SDK does not repeat a canceled transaction.
 */
const passingReasons: ReadonlySet<string | undefined> = new Set([
  'TransactionConflict',
  'ThrottlingError',
  'ProvisionedThroughputExceeded',
])

/** Whether a transaction was canceled only for reasons that pass. An unmet condition would not be met later either. */
export const isCanceledForNow = (error: unknown): boolean =>
  findUnmetItems(error) === undefined && readCancellationReasons(error).some(({ Code }) => passingReasons.has(Code))

const readCancellationReasons = (error: unknown) =>
  error instanceof TransactionCanceledException ? (error.CancellationReasons ?? []) : []
