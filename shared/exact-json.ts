/**
 * JSON with exact integers. `JSON.parse` and `JSON.stringify` alone round integers beyond 2^53, and a rounded id is
 * that of another pet.
 */

/**
 * Third argument of a reviver (TC39, JSON.parse source text access), which TypeScript's library does not describe yet.
 */
interface SourceText {
  /** Source text of a number, a string, a boolean or null. Arrays and objects have none. */
  readonly source?: string
}

/** Integers with more digits are not int64 values; reading them exactly would only take time. */
const maximumDigits = 19

/** TypeScript's library does not describe JSON.rawJSON yet. The Lambda runtime has it since nodejs22.x. */
const { rawJSON: rawJson } = JSON as typeof JSON & { rawJSON: (text: string) => unknown }

/**
 * Parses JSON text. Every integer of at most 19 digits becomes a `bigint`, read from its source text; every other
 * number stays a `number`. `1.0` and `1e3` are integers, as in JSON Schema, and `1.0000000000000000001` is none, though
 * JavaScript rounds it to 1. Of several members with one name the last counts, as with `JSON.parse`.
 *
 * V8 may mistake a name that is written with an escape, such as `"\""`, for the name of a backslash, if it has parsed
 * that one before (nodejs/node issue 63785). No field has a backslash in its name, so a reader that refuses unknown
 * fields never takes one field for another.
 *
 * @example parseExactJson('{"id":9007199254740993}') // { id: 9007199254740993n }
 * @throws SyntaxError when the text is not JSON
 */
export const parseExactJson = (text: string): unknown => JSON.parse(text, reviveInteger)

/** Serializes a value. Every `bigint` becomes a JSON integer with all its digits. */
export const stringifyExactJson = (value: unknown, indent?: number): string =>
  JSON.stringify(value, replaceBigInt, indent)

/** Turns a number into a `bigint` if its source text denotes an integer. Other values pass unchanged. */
const reviveInteger = (_name: string, value: unknown, context?: SourceText): unknown => {
  if (typeof value !== 'number' || context?.source === undefined) return value
  // Most integers are written as JavaScript writes them. This comparison takes less time than parsing the text.
  if (Number.isSafeInteger(value) && String(value) === context.source) return BigInt(value)
  return parseIntegerLiteral(context.source) ?? value
}

/** Parses a JSON number literal that denotes an integer of at most 19 digits; `undefined` for any other number. */
const parseIntegerLiteral = (literal: string): bigint | undefined => {
  const match = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(literal)
  if (match === null) return undefined
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = match

  const digits = (whole + fraction).replace(/^0+/, '')
  if (digits === '') return 0n

  // The literal denotes `digits` with the decimal point moved to the right by `shift`, or to the left if it is
  // negative.
  const shift = Number(exponent) - fraction.length
  if (digits.length + shift > maximumDigits) return undefined
  if (shift >= 0) return BigInt(sign + digits + '0'.repeat(shift))

  const integerDigits = digits.slice(0, shift)
  const fractionDigits = digits.slice(shift)
  const isInteger = integerDigits !== '' && /^0+$/.test(fractionDigits)
  return isInteger ? BigInt(sign + integerDigits) : undefined
}

/** Replaces a `bigint` by a value that JSON.stringify writes as an integer. */
const replaceBigInt = (_key: string, value: unknown): unknown => {
  if (typeof value !== 'bigint') return value
  // JSON.stringify writes a safe integer exactly, and a number in two thirds of the time of a raw text.
  const number = Number(value)
  return Number.isSafeInteger(number) ? number : rawJson(value.toString())
}
