/**
 * The operations of DynamoDB that this project uses. dynalite, which has no types, checks and executes them.
 *
 * This file adds to dynalite, as the DynamoDB API Reference documents them, transactions of puts, updates and deletes,
 * and the old item in a ConditionalCheckFailedException. Unlike DynamoDB on AWS, a transaction supports no
 * ConditionCheck, and the reason for cancelling one of its writes consists of the code alone.
 */
import { createRequire } from 'node:module'
import { cacheExpressions, type ExpressionParser } from './expression-cache.ts'
import { createFailure, type Done, type Failure, type Store } from './store.ts'

const require = createRequire(import.meta.url)

const readOperations = ['BatchGetItem', 'DescribeTable', 'GetItem', 'ListTables', 'Query', 'Scan']
const itemWrites = ['PutItem', 'UpdateItem', 'DeleteItem']
const tableWrites = ['CreateTable', 'DeleteTable']
const writeOperations = [...tableWrites, ...itemWrites]

/** Checks and executes one operation. A write calls `done` before it returns. */
type Perform = (operation: string, parameters: object, done: Done) => void

/** dynalite's function for one operation. Its parameters have been checked. */
type DynaliteAction = (store: Store, parameters: object, done: Done) => void

/** dynalite's modules for one operation: the description of its parameters, and the function that executes it. */
interface OperationModules {
  readonly types: unknown
  readonly custom: unknown
  readonly action: DynaliteAction
}

const loadedOperations = new Map<string, OperationModules>()

/** Loads an operation once: `require` would look for the file of a loaded module at each call. */
const loadOperation = (operation: string): OperationModules => {
  const loaded = loadedOperations.get(operation)
  if (loaded !== undefined) return loaded
  const moduleName = operation.charAt(0).toLowerCase() + operation.slice(1)
  const { types, custom } = require(`dynalite/validations/${moduleName}`)
  const modules = { types, custom, action: require(`dynalite/actions/${moduleName}`) }
  loadedOperations.set(operation, modules)
  return modules
}

/**
 * Creates the function that executes an operation and returns its result.
 * Example: `await perform('GetItem', { TableName, Key })`. The promise rejects with a `Failure`.
 */
export const createOperations = (store: Store) => {
  const { checkTypes, checkValidations } = require('dynalite/validations')

  const perform: Perform = (operation, parameters, done) => {
    const { types, custom, action } = loadOperation(operation)
    const checked = checkTypes(parameters, types)
    checkValidations(checked, types, custom, store)
    action(store, checked, done)
  }

  return async (operation: string, parameters: object): Promise<unknown> => {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>()
    const done: Done = (error, result) => (error ? reject(error) : resolve(result))

    if (readOperations.includes(operation)) {
      perform(operation, parameters, done)
    } else if (writeOperations.includes(operation)) {
      store.atomically((completed) => perform(operation, parameters, completed), done)
    } else if (operation === 'TransactWriteItems') {
      // The AWS SDK sends a body of this shape.
      const transaction = parameters as Transaction
      store.atomically((completed) => {
        const failure = performTransaction(perform, transaction)
        completed(failure, {})
      }, done)
    } else {
      throw createUnsupportedFailure(operation)
    }
    return promise
  }
}

const createUnsupportedFailure = (operation: string): Failure =>
  createFailure(400, 'UnknownOperationException', `The local database does not support ${operation}.`)

interface Transaction {
  /** Each item has one member, whose name is the kind of the write: `Put`, `Update` or `Delete`. */
  readonly TransactItems: readonly Readonly<Record<string, object>>[]
}

/**
 * Performs the writes of a transaction. The caller rolls all of them back if one fails.
 *
 * @returns the error of the whole transaction, or null if every write succeeded
 */
const performTransaction = (perform: Perform, { TransactItems }: Transaction): Failure | null => {
  const failures = TransactItems.flatMap((item) => Object.entries(item)).map(([kind, parameters]) => {
    if (!itemWrites.includes(`${kind}Item`)) throw createUnsupportedFailure(`${kind} in a transaction`)

    // `perform` calls back before it returns.
    let failure: Failure | null | undefined
    perform(`${kind}Item`, parameters, (error) => {
      failure = error
    })
    return failure
  })
  const hasFailed = failures.some(Boolean)
  if (!hasFailed) return null

  return createCancellation(failures.map(readCancellationCode))
}

/** Creates the error of a canceled transaction. @param codes the reason for each of its writes, in their order */
export const createCancellation = (codes: readonly string[]): Failure => {
  const message = `Transaction cancelled, please refer cancellation reasons for specific reasons [${codes.join(', ')}]`
  return createFailure(400, 'TransactionCanceledException', message, {
    Message: message,
    CancellationReasons: codes.map((code) => ({ Code: code })),
  })
}

/** Reads the reason for a cancelled write, such as `ConditionalCheckFailed`, from the type of its exception. */
const readCancellationCode = (failure: Failure | null | undefined): string =>
  /#(\w+)Exception$/.exec(failure?.body.__type ?? '')?.[1] ?? 'None'

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
  for (const operation of ['putItem', 'updateItem', 'deleteItem']) {
    // dynalite removes the parameters that are missing in `types`.
    const { types } = require(`dynalite/validations/${operation}`)
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

// All operations of a thread share dynalite's modules, so they are changed once.
supportOldItems()
for (const name of ['conditionParser', 'projectionParser', 'updateParser']) {
  const parser: ExpressionParser = require(`dynalite/db/${name}`)
  cacheExpressions(parser)
}
