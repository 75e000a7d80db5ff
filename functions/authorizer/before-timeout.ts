import type { Context } from 'aws-lambda'
import { timeoutMarginMilliseconds } from '../../shared/spare-time.ts'

/** What a function's own timeout is known by. */
export type Invocation = Pick<Context, 'getRemainingTimeInMillis'>

/** @throws Error when the work does not end before the function's timeout. */
export const beforeTimeout = async <Value>(invocation: Invocation, work: Promise<Value>): Promise<Value> => {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(
    () => reject(new Error('The store did not answer before the timeout of the function.')),
    Math.max(0, invocation.getRemainingTimeInMillis() - timeoutMarginMilliseconds),
  )
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
