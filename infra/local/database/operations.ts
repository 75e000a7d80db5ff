/** The operations of DynamoDB that this project uses, by dynalite's checks and actions, which have no types. */
import { createRequire } from 'node:module'
import { createFailure, type Done, type Failure, type Store } from './store.ts'

const require = createRequire(import.meta.url)

/** An operation of dynalite on parameters that are checked already. */
type Action = (store: Store, parameters: object, done: Done) => void

type Perform = (operation: string, parameters: object, done: Done) => void

const reads = ['BatchGetItem', 'DescribeTable', 'GetItem', 'ListTables', 'Query', 'Scan']
const itemWrites = ['PutItem', 'UpdateItem', 'DeleteItem']
const writes = ['CreateTable', 'DeleteTable', ...itemWrites]

/** @returns what performs an operation. It rejects with a Failure. */
export const createOperations = (store: Store) => {
  returnOldItems()
  const { checkTypes, checkValidations } = require('dynalite/validations')
  const perform: Perform = (operation, parameters, done) => {
    const name = operation.charAt(0).toLowerCase() + operation.slice(1)
    const { types, custom } = require(`dynalite/validations/${name}`)
    const checked = checkTypes(parameters, types)
    checkValidations(checked, types, custom, store)
    const action: Action = require(`dynalite/actions/${name}`)
    action(store, checked, done)
  }
  const transact: Perform = (_, parameters, done) => done(transaction(perform, parameters as Transaction), {})

  return async (operation: string, parameters: object): Promise<unknown> => {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>()
    const done: Done = (error, result) => (error ? reject(error) : resolve(result))
    const write = operation === 'TransactWriteItems' ? transact : writes.includes(operation) ? perform : undefined
    if (write !== undefined) store.atomically((completed) => write(operation, parameters, completed), done)
    else if (reads.includes(operation)) perform(operation, parameters, done)
    else throw unsupportedError(operation)
    return promise
  }
}

const unsupportedError = (operation: string): Failure =>
  createFailure(400, 'UnknownOperationException', `The local database does not support ${operation}.`)

/** The body of a request, as the AWS SDK sends it. */
interface Transaction {
  readonly TransactItems: readonly Readonly<Record<string, object>>[]
}

/**
 * dynalite has no transactions. These are of puts, updates and deletes. A reason why one is cancelled has its code alone.
 *
 * @returns the error of the whole transaction; null where every write has succeeded
 */
const transaction = (perform: Perform, { TransactItems }: Transaction): Failure | null => {
  const failures = TransactItems.flatMap((item) => Object.entries(item)).map(([kind, parameters]) => {
    if (!itemWrites.includes(`${kind}Item`)) throw unsupportedError(`${kind} in a transaction`)
    let failed: Failure | null | undefined
    perform(`${kind}Item`, parameters, (error) => {
      failed = error
    })
    return failed
  })
  if (!failures.some(Boolean)) return null
  const CancellationReasons = failures.map((one) => ({
    Code: /#(\w+)Exception$/.exec(one?.body.__type ?? '')?.[1] ?? 'None',
  }))
  const codes = CancellationReasons.map(({ Code }) => Code).join(', ')
  const message = `Transaction cancelled, please refer cancellation reasons for specific reasons [${codes}]`
  return createFailure(400, 'TransactionCanceledException', message, { Message: message, CancellationReasons })
}

type CheckConditional = (
  request: { readonly ReturnValuesOnConditionCheckFailure?: string },
  existingItem: object | undefined,
) => { readonly body: { Item?: object } } | null | undefined

/** dynalite's ConditionalCheckFailedException never has the `Item` that the DynamoDB API Reference documents for `ALL_OLD`. */
const returnOldItems = (): void => {
  for (const operation of ['putItem', 'updateItem', 'deleteItem']) {
    // Checking a request removes what is not named here.
    const { types } = require(`dynalite/validations/${operation}`)
    types.ReturnValuesOnConditionCheckFailure = { type: 'String', enum: ['ALL_OLD', 'NONE'] }
  }
  const db: { checkConditional: CheckConditional } = require('dynalite/db')
  const { checkConditional } = db
  db.checkConditional = (request, existingItem) => {
    const failed = checkConditional(request, existingItem)
    const isRequested = request.ReturnValuesOnConditionCheckFailure === 'ALL_OLD'
    // Where there is no item, DynamoDB's exception has none either.
    if (failed && isRequested && existingItem) failed.body.Item = existingItem
    return failed
  }
}
