import { type AttributeValue, ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb'
import { unmarshall } from '@aws-sdk/util-dynamodb'
import { parseNumberAttribute } from '../int64.ts'
import { readCancellationReasons } from './unavailable.ts'

/** The attributes of an item, not yet checked. */
export type Attributes = Readonly<Record<string, unknown>>

/** The outcome of a conditional write. */
export type ConditionalOutcome<Result> =
  | { readonly met: true; readonly result: Result }
  | {
      readonly met: false
      /** The item that did not meet the condition, if there is one. */
      readonly current: Attributes | undefined
    }

/**
 * Awaits a conditional write that asks for `ReturnValuesOnConditionCheckFailure: ALL_OLD`. An unmet condition is an
 * outcome; every other error is rethrown.
 *
 * @example
 * const put = new PutCommand({ ...input, ReturnValuesOnConditionCheckFailure: 'ALL_OLD' })
 * const outcome = await awaitConditionalWrite(client.send(put))
 * if (!outcome.met) return outcome.current
 */
export const awaitConditionalWrite = async <Result>(write: Promise<Result>): Promise<ConditionalOutcome<Result>> => {
  try {
    return { met: true, result: await write }
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error
    return { met: false, current: unmarshallItem(error.Item) }
  }
}

/**
 * For each write of a transaction, the item that did not meet its condition; undefined if the condition was met. The
 * item is empty if there is none, or the write does not ask for `ReturnValuesOnConditionCheckFailure: ALL_OLD`.
 */
export type UnmetItems = readonly (Attributes | undefined)[]

/** Finds the items that did not meet the conditions of a transaction; undefined if it failed for another reason. */
export const findUnmetItems = (error: unknown): UnmetItems | undefined => {
  const items = readCancellationReasons(error).map(({ Code, Item }) =>
    Code === 'ConditionalCheckFailed' ? (unmarshallItem(Item) ?? {}) : undefined,
  )
  return items.some((item) => item !== undefined) ? items : undefined
}

/** Converts the item inside an exception. The document client converts only the items of responses. */
const unmarshallItem = (item: Record<string, AttributeValue> | undefined): Attributes | undefined =>
  item === undefined ? undefined : unmarshall(item, { wrapNumbers: parseNumberAttribute })
