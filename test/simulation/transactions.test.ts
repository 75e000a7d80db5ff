import { describe, expect, it } from 'vitest'
import { Transactions } from './transactions.ts'

describe('a transaction that is under way', () => {
  it('rejects another write of one of its items', () => {
    const transactions = new Transactions()
    using _transaction = transactions.begin(['key 1', 'key 2'])

    expect(() => transactions.requireFree(['key 2'])).toThrow('Transaction is ongoing for the item')
  })

  it('lets other items be written', () => {
    const transactions = new Transactions()
    using _transaction = transactions.begin(['key 1', 'key 2'])

    expect(() => transactions.requireFree(['key 3'])).not.toThrow()
  })

  it('cancels another one that writes one of its items, with a reason for each item', () => {
    const transactions = new Transactions()
    using _transaction = transactions.begin(['key 1', 'key 2'])

    expect(() => transactions.begin(['key 3', 'key 2'])).toThrow(
      expect.objectContaining({
        body: expect.objectContaining({
          __type: expect.stringContaining('TransactionCanceledException'),
          CancellationReasons: [{ Code: 'None' }, { Code: 'TransactionConflict' }],
        }),
      }),
    )
  })

  it('leaves its items free when it has ended', () => {
    const transactions = new Transactions()
    transactions.begin(['key 1'])[Symbol.dispose]()

    expect(() => transactions.requireFree(['key 1'])).not.toThrow()
  })
})
