import { type AttributeValue, ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb'
import { unmarshall } from '@aws-sdk/util-dynamodb'
import { parseNumberAttribute } from '../int64.ts'

export type Attributes = Readonly<Record<string, unknown>>

/** The outcome of a conditional write. `current` is the item that did not meet the condition, if there is one. */
export type ConditionalOutcome<Result> =
  | { readonly met: true; readonly result: Result }
  | { readonly met: false; readonly current: Attributes | undefined }

/**
 * Awaits a conditional write that asks for `ReturnValuesOnConditionCheckFailure: ALL_OLD`. Only an
 * unmet condition is an outcome; it rethrows every other error.
 */
export const awaitConditionalWrite = async <Result>(write: Promise<Result>): Promise<ConditionalOutcome<Result>> => {
  try {
    return { met: true, result: await write }
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return { met: false, current: readItem(error.Item) }
    throw error
  }
}

// The document client converts responses, but not the item inside an exception.
const readItem = (item: Record<string, AttributeValue> | undefined): Attributes | undefined =>
  item === undefined ? undefined : unmarshall(item, { wrapNumbers: parseNumberAttribute })
