import { type AttributeValue, ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb'
import { unmarshall } from '@aws-sdk/util-dynamodb'
import { parseNumberAttribute } from '../int64.ts'

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

/** Converts the item inside an exception. The document client converts only the items of responses. */
export const unmarshallItem = (item: Record<string, AttributeValue> | undefined): Attributes | undefined =>
  item === undefined ? undefined : unmarshall(item, { wrapNumbers: parseNumberAttribute })
