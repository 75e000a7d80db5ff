/**
 * The calls of DynamoDB that this project uses. dynalite, which has no types, checks and executes them.
 *
 * This file adds to dynalite, as the DynamoDB API Reference documents them, transactions of puts, updates and deletes,
 * and `ReturnValuesOnConditionCheckFailure`: the error of an unmet condition has the stored item. Unlike DynamoDB on
 * AWS, a transaction supports no ConditionCheck and ignores its `ClientRequestToken`, and a cancellation reason has no
 * message.
 */
import { createRequire } from 'node:module'
import { createFailure, type Done, type Failure, type Storage } from './storage.ts'

const require = createRequire(import.meta.url)

const readCalls = ['BatchGetItem', 'DescribeTable', 'GetItem', 'ListTables', 'Query', 'Scan']
const itemWrites = ['PutItem', 'UpdateItem', 'DeleteItem']
const tableWrites = ['CreateTable', 'DeleteTable']
const writeCalls = [...tableWrites, ...itemWrites]

/**
 * Checks and executes one call. A write calls `done` before it returns.
 *
 * @throws Failure if the parameters are invalid
 */
type Perform = (call: string, parameters: object, done: Done) => void

/** dynalite's function for one call. Its parameters have been checked. */
type DynaliteAction = (storage: Storage, parameters: object, done: Done) => void

/**
 * Creates the function that executes a call and returns its result.
 * Example: `await perform('GetItem', { TableName, Key })`. The promise rejects with a `Failure`.
 */
export const createCallExecutor = (storage: Storage) => {
  const { checkTypes, checkValidations } = require('dynalite/validations')

  const perform: Perform = (call, parameters, done) => {
    const moduleName = call.charAt(0).toLowerCase() + call.slice(1)
    const { types, custom } = require(`dynalite/validations/${moduleName}`)
    const action: DynaliteAction = require(`dynalite/actions/${moduleName}`)
    const checked = checkTypes(parameters, types)
    checkValidations(checked, types, custom, storage)
    action(storage, checked, done)
  }

  return async (call: string, parameters: object): Promise<unknown> => {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>()
    const done: Done = (error, result) => (error ? reject(error) : resolve(result))

    if (readCalls.includes(call)) {
      perform(call, parameters, done)
    } else if (writeCalls.includes(call)) {
      storage.atomically((completed) => perform(call, parameters, completed), done)
    } else if (call === 'TransactWriteItems') {
      const writes = readTransaction(parameters, storage)
      storage.atomically((completed) => {
        const failure = performTransaction(perform, writes)
        // A transaction that succeeds has an empty result.
        completed(failure, {})
      }, done)
    } else {
      throw createUnsupportedFailure(call)
    }
    return promise
  }
}

const createUnsupportedFailure = (call: string): Failure =>
  createFailure(400, 'UnknownOperationException', `The local database does not support ${call}.`)

/** The most writes of a transaction (DynamoDB API Reference, "TransactWriteItems"). */
const maximumTransactionWrites = 100

/** One write of a transaction. */
interface TransactionWrite {
  readonly call: string
  readonly parameters: object
}

/**
 * Reads the writes of a transaction.
 *
 * @throws Failure if DynamoDB would refuse the transaction as invalid
 */
const readTransaction = (transaction: object, storage: Storage): readonly TransactionWrite[] => {
  const items: unknown = Reflect.get(transaction, 'TransactItems')
  if (!Array.isArray(items) || items.length < 1 || items.length > maximumTransactionWrites) {
    throw createValidationFailure(`TransactItems must be an array of 1 to ${maximumTransactionWrites} writes.`)
  }

  const writes = items.map((item: unknown): TransactionWrite => {
    const [write, ...others] = Object.entries(Object(item))
    if (write === undefined || others.length > 0) {
      throw createValidationFailure('TransactItems needs one write an item.')
    }
    const [kind, parameters] = write
    if (!itemWrites.includes(`${kind}Item`)) throw createUnsupportedFailure(`${kind} in a transaction`)
    return { call: `${kind}Item`, parameters: Object(parameters) }
  })

  const names = writes.map(({ parameters }) => nameWrittenItem(parameters, storage))
  if (new Set(names).size < names.length) {
    throw createValidationFailure('Transaction request cannot include multiple operations on one item')
  }
  return writes
}

const createValidationFailure = (message: string): Failure => createFailure(400, 'ValidationException', message)

/** Names the item that a write writes, by its table and its primary key. */
const nameWrittenItem = (parameters: object, storage: Storage): string => {
  const { TableName, Item, Key }: { TableName?: string; Item?: object; Key?: object } = parameters
  let keySchema: readonly { readonly AttributeName: string }[] = []
  // `getTable` calls back before it returns. An unknown table is no error here: its write fails later.
  storage.getTable(String(TableName), (_error, table) => {
    keySchema = Object(table).KeySchema ?? []
  })
  const attributes: Readonly<Record<string, unknown>> = { ...Item, ...Key }
  return JSON.stringify([TableName, keySchema.map(({ AttributeName }) => attributes[AttributeName])])
}

/**
 * Performs the writes of a transaction. The caller rolls all of them back if one fails.
 *
 * @returns the error of the whole transaction, or null if every write succeeded
 * @throws Failure if the parameters of a write are invalid
 */
const performTransaction = (perform: Perform, writes: readonly TransactionWrite[]): Failure | null => {
  const failures = writes.map(({ call, parameters }) => {
    // `perform` calls back before it returns.
    let failure: Failure | null | undefined
    perform(call, parameters, (error) => {
      failure = error
    })
    return failure
  })
  return failures.some(Boolean) ? createCancellation(failures.map(readCancellationReason)) : null
}

/** The reason why a write canceled its transaction. The reason of a write that did not has the code `None`. */
interface CancellationReason {
  readonly Code: string
  /** The item that did not meet the condition, if the write asked for it. */
  readonly Item?: object | undefined
}

/**
 * Creates the error of a canceled transaction.
 *
 * @param reasons one for each write, in their order
 */
const createCancellation = (reasons: readonly CancellationReason[]): Failure => {
  const codes = reasons.map(({ Code }) => Code).join(', ')
  // The model of the API calls the message of this exception `Message`. Other exceptions have `message` alone.
  const message = `Transaction cancelled, please refer cancellation reasons for specific reasons [${codes}]`
  return createFailure(400, 'TransactionCanceledException', message, { Message: message, CancellationReasons: reasons })
}

/** Reads the reason of a write from its exception: `ConditionalCheckFailedException` without its last word. */
const readCancellationReason = (failure: Failure | null | undefined): CancellationReason => ({
  Code: /#(\w+)Exception$/.exec(failure?.body.__type ?? '')?.[1] ?? 'None',
  Item: failure?.body.Item,
})

/** dynalite's check of a condition. It returns a ConditionalCheckFailedException if the condition is false. */
type CheckConditional = (
  request: { readonly ReturnValuesOnConditionCheckFailure?: string },
  existingItem: object | undefined,
) => { readonly body: { Item?: object } } | null | undefined

/**
 * Makes dynalite support `ReturnValuesOnConditionCheckFailure`. Its own ConditionalCheckFailedException never has the
 * `Item` that the DynamoDB API Reference documents for `ALL_OLD`.
 */
const supportOldItems = (): void => {
  for (const moduleName of ['putItem', 'updateItem', 'deleteItem']) {
    // dynalite removes the parameters that are missing in `types`, so this one is added.
    const { types } = require(`dynalite/validations/${moduleName}`)
    types.ReturnValuesOnConditionCheckFailure = { type: 'String', enum: ['ALL_OLD', 'NONE'] }
  }

  const db: { checkConditional: CheckConditional } = require('dynalite/db')
  const { checkConditional } = db
  db.checkConditional = (request, existingItem) => {
    const failure = checkConditional(request, existingItem)
    const isRequested = request.ReturnValuesOnConditionCheckFailure === 'ALL_OLD'
    if (failure && isRequested && existingItem) failure.body.Item = existingItem
    return failure
  }
}

// All calls of a thread share dynalite's modules, so they are changed once.
supportOldItems()
