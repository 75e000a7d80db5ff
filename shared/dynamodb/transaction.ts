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
  /** For each write, the item that did not meet its condition; undefined if the condition was met. */
  | { readonly kind: 'unmet'; readonly items: readonly (Attributes | undefined)[] }
  | { readonly kind: 'canceled' | 'in progress' }

/**
 * Cancellation reasons of a transaction that can succeed later: an item is in another transaction, or is throttled
 * (DynamoDB API Reference, "TransactWriteItems", Errors). The SDK does not repeat a canceled transaction.
 */
const passingReasons: ReadonlySet<string | undefined> = new Set([
  'TransactionConflict',
  'ThrottlingError',
  'ProvisionedThroughputExceeded',
])

/**
 * Awaits a transaction whose writes ask for `ReturnValuesOnConditionCheckFailure: ALL_OLD`. Every error that is no
 * outcome is rethrown.
 *
 * @example const outcome = await awaitTransaction(client.send(new TransactWriteCommand({ TransactItems, ... })))
 */
export const awaitTransaction = async (transaction: Promise<unknown>): Promise<TransactionOutcome> => {
  try {
    await transaction
    return { kind: 'done' }
  } catch (error) {
    if (error instanceof TransactionInProgressException) return { kind: 'in progress' }
    if (!(error instanceof TransactionCanceledException)) throw error

    const reasons = error.CancellationReasons ?? []
    const items = reasons.map(({ Code, Item }) =>
      Code === 'ConditionalCheckFailed' ? (unmarshallItem(Item) ?? {}) : undefined,
    )
    if (items.some((item) => item !== undefined)) return { kind: 'unmet', items }
    if (reasons.some(({ Code }) => passingReasons.has(Code))) return { kind: 'canceled' }
    throw error
  }
}
