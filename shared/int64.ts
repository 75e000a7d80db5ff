/** Range of the contract's `format: int64`. Such an integer stays exact from the request to the table and back. */
export const smallestInt64 = -(2n ** 63n)
export const largestInt64 = 2n ** 63n - 1n

export const isInt64 = (value: bigint): boolean => value >= smallestInt64 && value <= largestInt64

/**
 * Parses the canonical decimal text of an int64, such as an id in a path; `undefined` for any other text.
 *
 * @example parseInt64('-5') // -5n
 * @example parseInt64('05') // undefined
 */
export const parseInt64 = (text: string): bigint | undefined => {
  if (!/^-?(0|[1-9]\d{0,18})$/.test(text)) return undefined
  const value = BigInt(text)
  return isInt64(value) ? value : undefined
}

/**
 * Parses a number attribute of DynamoDB. An integer beyond 2^53 becomes a `bigint`, so that no digit is lost. Every
 * other number becomes a `number`.
 */
export const parseNumberAttribute = (digits: string): number | bigint => {
  const value = Number(digits)
  // BigInt throws for a fraction and for an exponent. One such number would make its whole page of items unreadable.
  const isInteger = /^-?\d+$/.test(digits)
  return isInteger && !Number.isSafeInteger(value) ? BigInt(digits) : value
}
