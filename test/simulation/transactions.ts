/**
 * Conflicts of transactions, as AWS documents them ("Amazon DynamoDB Transactions: How it works"): while a transaction
 * is under way, every other write of one of its items is rejected.
 */
import { createFailure } from '../../infra/local/database/store.ts'

const conflictMessage = 'Transaction is ongoing for the item'

/** The transactions that are under way. */
export class Transactions {
  /** Names of the items that they write. */
  readonly #items = new Set<string>()

  /**
   * Rejects the write of an item that a transaction is just writing.
   *
   * @param items names of the items that are written
   * @throws Failure `TransactionConflictException`
   */
  requireFree(items: readonly string[]): void {
    if (items.some((item) => this.#items.has(item))) {
      throw createFailure(400, 'TransactionConflictException', conflictMessage)
    }
  }

  /**
   * Begins a transaction. Disposing of the result ends it.
   *
   * @param items names of the items that are written, in the order of the writes
   * @throws Failure `TransactionCanceledException`, if another transaction is just writing one of the items
   */
  begin(items: readonly string[]): Disposable {
    const codes = items.map((item) => (this.#items.has(item) ? 'TransactionConflict' : 'None'))
    if (codes.includes('TransactionConflict')) {
      const message = `Transaction cancelled, please refer cancellation reasons for specific reasons [${codes.join(', ')}]`
      throw createFailure(400, 'TransactionCanceledException', message, {
        Message: message,
        CancellationReasons: codes.map((code) => ({ Code: code })),
      })
    }
    for (const item of items) this.#items.add(item)
    return {
      [Symbol.dispose]: () => {
        for (const item of items) this.#items.delete(item)
      },
    }
  }
}
