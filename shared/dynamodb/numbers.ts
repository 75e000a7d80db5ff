/** Reads a number attribute: integers beyond 2^53 as `bigint`, so that no digit is lost, the others as `number`. */
export const readNumber = (digits: string): number | bigint => {
  const value = Number(digits)
  return Number.isInteger(value) && !Number.isSafeInteger(value) ? BigInt(digits) : value
}
