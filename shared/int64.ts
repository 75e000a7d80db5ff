/** The integers of the contract's `format: int64`, kept exactly from request text to table to response text. */
export const smallestInt64 = -(2n ** 63n)
export const largestInt64 = 2n ** 63n - 1n

export const isInt64 = (value: bigint): boolean => value >= smallestInt64 && value <= largestInt64

/** Reads the canonical decimal text of an int64, as in a path; `undefined` for any other text. */
export const parseInt64 = (text: string): bigint | undefined => {
  if (!/^-?(0|[1-9]\d{0,18})$/.test(text)) return undefined
  const value = BigInt(text)
  return isInt64(value) ? value : undefined
}

/** Reads a number attribute of DynamoDB: integers beyond 2^53 as `bigint`, so that no digit is lost, the others as `number`. */
export const parseNumberAttribute = (digits: string): number | bigint => {
  const value = Number(digits)
  return Number.isInteger(value) && !Number.isSafeInteger(value) ? BigInt(digits) : value
}
