import type { Done, Store } from './store.ts'

/** An operation of dynalite on parameters that are checked already. */
export type Operation = (store: Store, parameters: object, done: Done) => void

/** An error that dynalite sends as a response. */
type Failure = Error & {
  readonly statusCode: number
  readonly body: { readonly __type: string; readonly Item?: object }
}

/** The body of a request, as the AWS SDK sends it. */
export interface Transaction {
  readonly TransactItems: readonly Readonly<Record<string, object>>[]
}

/**
 * Completes dynalite, which has no `TransactWriteItems`, by one of puts, updates and deletes: they are dynalite's own, and
 * together one operation of the store. Conditions of their own (`ConditionCheck`) are not supported.
 *
 * @returns the status and the body of the response
 */
export const transact = (
  require: NodeJS.Require,
  store: Store,
  { TransactItems }: Transaction,
): readonly [status: number, body: object] => {
  const writes = TransactItems.flatMap((item) => Object.entries(item))
  try {
    store.atomically(
      (done) => done(cancellation(writes.map(([kind, parameters]) => write(require, store, kind, parameters)))),
      (error) => {
        if (error) throw error
      },
    )
    return [200, {}]
  } catch (error) {
    if (!(error instanceof Error && 'statusCode' in error)) throw error
    // Only dynalite's errors have one.
    const { statusCode, body } = error as Failure
    return [statusCode, body]
  }
}

/** Checks and makes one write as dynalite does. @throws Failure for parameters that DynamoDB would not accept */
const write = (require: NodeJS.Require, store: Store, kind: string, parameters: object): Failure | undefined => {
  const name = `${kind.toLowerCase()}Item`
  const validations = require('dynalite/validations')
  const { types, custom } = require(`dynalite/validations/${name}`)
  const checked = validations.checkTypes(parameters, types)
  validations.checkValidations(checked, types, custom, store)
  const operation: Operation = require(`dynalite/actions/${name}`)
  let failure: Failure | undefined
  operation(store, checked, (error) => {
    failure = (error as Failure | null) ?? undefined
  })
  return failure
}

/** @returns the error of the whole transaction; undefined where every write has succeeded */
const cancellation = (failures: readonly (Failure | undefined)[]): Error | undefined => {
  if (failures.every((failure) => failure === undefined)) return undefined
  const CancellationReasons = failures.map((failure) => {
    const Code = /#(\w+)Exception$/.exec(failure?.body.__type ?? '')?.[1] ?? 'None'
    return failure === undefined ? { Code } : { Code, Message: failure.message, Item: failure.body.Item }
  })
  const codes = CancellationReasons.map(({ Code }) => Code).join(', ')
  const message = `Transaction cancelled, please refer cancellation reasons for specific reasons [${codes}]`
  const __type = 'com.amazonaws.dynamodb.v20120810#TransactionCanceledException'
  const body = { __type, message, Message: message, CancellationReasons }
  return Object.assign(new Error(message), { statusCode: 400, body })
}
