import { type Attributes, unmarshallItem } from './conditional-write.ts'
import { readCancellationReasons } from './unavailable.ts'

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
