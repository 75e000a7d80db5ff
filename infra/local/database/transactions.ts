import type { RequestListener, Server } from 'node:http'
import { json } from 'node:stream/consumers'
import type { Done, Store } from './dynalite-store.ts'

/** An operation of dynalite on parameters that are checked already. */
export type Operation = (store: Store, parameters: object, done: Done) => void

interface Transaction {
  readonly TransactItems: readonly Readonly<Record<string, object>>[]
}

/** An error that dynalite sends as a response. */
type Failure = Error & {
  readonly statusCode: number
  readonly body: { readonly __type: string; readonly Item?: object }
}

/**
 * Completes dynalite, which has no `TransactWriteItems`, by one of puts, updates and deletes: they are dynalite's own, and
 * together one operation of the store. Conditions of their own (`ConditionCheck`) are not supported.
 */
export const acceptTransactions = (require: NodeJS.Require, server: Server, store: Store): void => {
  const validations = require('dynalite/validations')
  const write = (kind: string, parameters: object): Failure | undefined => {
    const name = `${kind.toLowerCase()}Item`
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

  // Every listener of this event is one.
  const listeners = server.listeners('request') as RequestListener[]
  server.removeAllListeners('request').on('request', async (request, response) => {
    if (request.headers['x-amz-target'] !== 'DynamoDB_20120810.TransactWriteItems') {
      for (const listener of listeners) listener(request, response)
      return
    }
    const send = (status: number, body: object): void => {
      response.writeHead(status, { 'Content-Type': 'application/x-amz-json-1.0' }).end(JSON.stringify(body))
    }
    try {
      // The AWS SDK sends it.
      const { TransactItems } = (await json(request)) as Transaction
      const run = (done: Done): void => {
        const entries = TransactItems.flatMap((item) => Object.entries(item))
        done(cancellation(entries.map(([kind, parameters]) => write(kind, parameters))))
      }
      store.atomically(run, (error) => {
        if (error) throw error
        send(200, {})
      })
    } catch (error) {
      if (!(error instanceof Error && 'statusCode' in error)) throw error
      const { statusCode, body } = error as Failure
      send(statusCode, body)
    }
  })
}

/** @returns the error of the whole transaction; undefined where every write has succeeded */
const cancellation = (failures: readonly (Failure | undefined)[]): Failure | undefined => {
  const isCondition = ({ body }: Failure): boolean => body.__type.endsWith('#ConditionalCheckFailedException')
  const failure = failures.find((one) => one !== undefined && !isCondition(one)) ?? failures.find(Boolean)
  if (failure === undefined || !isCondition(failure)) return failure
  const CancellationReasons = failures.map((one) =>
    one === undefined
      ? { Code: 'None' }
      : {
          Code: 'ConditionalCheckFailed',
          Message: one.message || 'The conditional request failed',
          Item: one.body.Item,
        },
  )
  const codes = CancellationReasons.map(({ Code }) => Code).join(', ')
  const message = `Transaction cancelled, please refer cancellation reasons for specific reasons [${codes}]`
  const __type = 'com.amazonaws.dynamodb.v20120810#TransactionCanceledException'
  return Object.assign(new Error(message), {
    statusCode: 400,
    body: { __type, message, Message: message, CancellationReasons },
  })
}
