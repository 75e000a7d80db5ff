/**
 * Conflicts of transactions, as AWS documents them ("Amazon DynamoDB Transactions: How it works"): while a transaction
 * is under way, every other write of one of its items is rejected.
 */
import { createCancellation } from '../../infra/local/database/operations.ts'
import { createFailure } from '../../infra/local/database/store.ts'

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
      throw createFailure(400, 'TransactionConflictException', 'Transaction is ongoing for the item')
    }
  }

  /**
   * Begins a transaction. Disposing of the result ends it.
   *
   * @param items names of the items that are written, in the order of the writes
   * @throws Failure `TransactionCanceledException`, if another transaction is just writing one of the items
   */
  begin(items: readonly string[]): Disposable {
    const reasons = items.map((item) => ({ Code: this.#items.has(item) ? 'TransactionConflict' : 'None' }))
    if (items.some((item) => this.#items.has(item))) throw createCancellation(reasons)
    for (const item of items) this.#items.add(item)
    return {
      [Symbol.dispose]: () => {
        for (const item of items) this.#items.delete(item)
      },
    }
  }
}
