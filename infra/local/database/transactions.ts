import type { IncomingMessage } from 'node:http'
import { json } from 'node:stream/consumers'
import type { Done, Store } from './store.ts'

/** An operation of dynalite on parameters that are checked already. */
export type Operation = (store: Store, parameters: object, done: Done) => void

/** An error that dynalite sends as a response. */
type Failure = Error & {
  readonly statusCode: number
  readonly body: { readonly __type: string; readonly Item?: object }
}

/**
 * Completes dynalite, which has no `TransactWriteItems`, by one of puts, updates and deletes: they are dynalite's own, and
 * together one operation of the store. Conditions of their own (`ConditionCheck`) are not supported.
 *
 * @returns the status and the body of the response
 */
export const transact = async (require: NodeJS.Require, store: Store, request: IncomingMessage) => {
  // The AWS SDK sends it.
  const { TransactItems } = (await json(request)) as { readonly TransactItems: readonly Record<string, object>[] }
  const writes = TransactItems.flatMap((item) => Object.entries(item))
  const { promise, resolve } = Promise.withResolvers<readonly [status: number, body: object]>()
  try {
    store.atomically(
      (done) => done(cancellation(writes.map(([kind, parameters]) => write(require, store, kind, parameters)))),
      (error) => resolve(error ? responseOf(error) : [200, {}]),
    )
  } catch (error) {
    resolve(responseOf(error))
  }
  return promise
}

const responseOf = (error: unknown): readonly [status: number, body: object] => {
  if (!(error instanceof Error && 'statusCode' in error)) throw error
  // Only dynalite's errors have one.
  const { statusCode, body } = error as Failure
  return [statusCode, body]
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
const cancellation = (failures: readonly (Failure | undefined)[]): Failure | undefined => {
  const isCondition = ({ body }: Failure): boolean => body.__type.endsWith('#ConditionalCheckFailedException')
  const failure = failures.find((one) => one !== undefined && !isCondition(one)) ?? failures.find(Boolean)
  if (failure === undefined || !isCondition(failure)) return failure
  const Message = 'The conditional request failed'
  const CancellationReasons = failures.map((one) =>
    one === undefined ? { Code: 'None' } : { Code: 'ConditionalCheckFailed', Message, Item: one.body.Item },
  )
  const codes = CancellationReasons.map(({ Code }) => Code).join(', ')
  const message = `Transaction cancelled, please refer cancellation reasons for specific reasons [${codes}]`
  const __type = 'com.amazonaws.dynamodb.v20120810#TransactionCanceledException'
  const body = { __type, message, Message: message, CancellationReasons }
  return Object.assign(new Error(message), { statusCode: 400, body })
}
