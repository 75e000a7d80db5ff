/** What dynalite lacks of DynamoDB. It has no types. */
import { type Done, type Failure, failure, type Store } from './store.ts'

/** An operation of dynalite on parameters that are checked already. */
type Operation = (store: Store, parameters: object, done: Done) => void

type CheckConditional = (
  request: { readonly ReturnValuesOnConditionCheckFailure?: string },
  existingItem: object | undefined,
) => { readonly body: { Item?: object } } | null | undefined

/** Changes modules that `require` has in its cache, before dynalite itself is loaded: it takes what they have then. */
export const completeDynalite = (require: NodeJS.Require, store: Store): void => {
  const db: { create: () => Store; checkConditional: CheckConditional } = require('dynalite/db')
  db.create = () => store
  for (const name of ['createTable', 'deleteTable', 'putItem', 'updateItem', 'deleteItem']) {
    const operation: Operation = require(`dynalite/actions/${name}`)
    const atomic: Operation = (_, parameters, done) =>
      store.atomically((completed) => operation(store, parameters, completed), done)
    Object.assign(require.cache[require.resolve(`dynalite/actions/${name}`)] ?? {}, { exports: atomic })
  }
  // Its ConditionalCheckFailedException never has the `Item` that the DynamoDB API Reference documents for `ALL_OLD`.
  for (const name of ['putItem', 'updateItem', 'deleteItem']) {
    // Checking a request removes what is not named here.
    const { types } = require(`dynalite/validations/${name}`)
    types.ReturnValuesOnConditionCheckFailure = { type: 'String', enum: ['ALL_OLD', 'NONE'] }
  }
  const { checkConditional } = db
  db.checkConditional = (request, existingItem) => {
    const failed = checkConditional(request, existingItem)
    const isRequested = request.ReturnValuesOnConditionCheckFailure === 'ALL_OLD'
    // Where there is no item, DynamoDB's exception has none either.
    if (failed && isRequested && existingItem) failed.body.Item = existingItem
    return failed
  }
}

/** The body of a request, as the AWS SDK sends it. */
export interface Transaction {
  readonly TransactItems: readonly Readonly<Record<string, object>>[]
}

/**
 * `TransactWriteItems` of puts, updates and deletes: they are dynalite's own, and together one operation of the store.
 *
 * @returns the status and the body of the response
 */
export const transact = (require: NodeJS.Require, store: Store, { TransactItems }: Transaction) => {
  const writes = TransactItems.flatMap((item) => Object.entries(item))
  let response: readonly [status: number, body: object] = [200, {}]
  store.atomically(
    (done) => done(cancellation(writes.map(([kind, parameters]) => write(require, store, kind, parameters)))),
    (error) => {
      if (error) response = [error.statusCode, error.body]
    },
  )
  return response
}

/** Checks and makes one write as dynalite does. @throws Failure for parameters that DynamoDB would not accept */
const write = (require: NodeJS.Require, store: Store, kind: string, parameters: object) => {
  if (!['Put', 'Update', 'Delete'].includes(kind)) {
    throw failure(400, 'ValidationException', `The local database does not support ${kind} in a transaction.`)
  }
  const name = `${kind.toLowerCase()}Item`
  const { checkTypes, checkValidations } = require('dynalite/validations')
  const { types, custom } = require(`dynalite/validations/${name}`)
  const checked = checkTypes(parameters, types)
  checkValidations(checked, types, custom, store)
  const operation: Operation = require(`dynalite/actions/${name}`)
  let failed: Failure | undefined
  operation(store, checked, (error) => {
    failed = error ?? undefined
  })
  return failed
}

/** @returns the error of the whole transaction; null where every write has succeeded */
const cancellation = (failures: readonly (Failure | undefined)[]): Failure | null => {
  if (failures.every((one) => one === undefined)) return null
  const CancellationReasons = failures.map((one) => {
    const Code = /#(\w+)Exception$/.exec(one?.body.__type ?? '')?.[1] ?? 'None'
    return one === undefined ? { Code } : { Code, Message: one.message, Item: one.body.Item }
  })
  const codes = CancellationReasons.map(({ Code }) => Code).join(', ')
  const message = `Transaction cancelled, please refer cancellation reasons for specific reasons [${codes}]`
  return failure(400, 'TransactionCanceledException', message, { Message: message, CancellationReasons })
}
