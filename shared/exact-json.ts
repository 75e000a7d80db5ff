/**
 * JSON whose integers are exact. `JSON.parse` and `JSON.stringify` alone round integers beyond 2^53,
 * and a rounded identifier belongs to another animal.
 */

/** The third argument of a reviver (TC39, JSON.parse source text access), which TypeScript's library does not describe yet. */
interface SourceText {
  readonly source?: string
}

/** An object of the text has a name twice. `JSON.parse` keeps only the last value (RFC 7493 forbids such an object). */
export class RepeatedNameError extends Error {}

/**
 * Parses JSON text with every integer as a `bigint`, read from its source text. By JSON Schema
 * `1.0` and `1e3` are integers too, and `1.0000000000000000001` is not.
 *
 * @throws SyntaxError when the text is not JSON. @throws RepeatedNameError
 */
export const parseExactJson = (text: string): unknown => {
  // The reviver sees the whole value too, as the only member of an object.
  let members = -1
  const revive = function (this: unknown, _key: string, value: unknown, context?: SourceText): unknown {
    if (!Array.isArray(this)) members += 1
    return reviveInteger(value, context)
  }
  const value: unknown = JSON.parse(text, revive)
  if (writtenMembers(text) > members) throw new RepeatedNameError()
  return value
}

/**
 * Whether a text has more JSON values than `maximum`, without parsing it. The text may be invalid JSON, and is read only
 * as far as needed. An empty array or object counts as two values.
 */
export const hasMoreValues = (text: string, maximum: number): boolean => {
  let values = 1
  // Every value but the first follows one of the marks [ { , outside of strings. The last string may have no end.
  for (const [mark] of text.matchAll(/[[{,]|"[^"\\]*(?:\\[\s\S][^"\\]*)*(?:"|\\?$)/g)) {
    if (!mark.startsWith('"')) values += 1
    if (values > maximum) return true
  }
  return false
}

/** The members of all objects in a JSON text: each has one colon, outside of strings. */
const writtenMembers = (text: string): number => text.replace(/"[^"\\]*(?:\\.[^"\\]*)*"/g, '').split(':').length - 1

const reviveInteger = (value: unknown, context?: SourceText): unknown =>
  typeof value === 'number' && context?.source !== undefined ? (readInteger(context.source) ?? value) : value

/** Integers with more digits are not int64 values; reading them exactly would only take time. */
const maximumDigits = 19

/** The integer that a JSON number literal denotes; `undefined` where it denotes none, or one of more than 19 digits. */
const readInteger = (literal: string): bigint | undefined => {
  const match = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(literal)
  if (match === null) return undefined
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = match
  const digits = (whole + fraction).replace(/^0+/, '')
  if (digits === '') return 0n
  const shift = Number(exponent) - fraction.length
  if (digits.length + shift > maximumDigits) return undefined
  if (shift >= 0) return BigInt(sign + digits + '0'.repeat(shift))
  const kept = digits.slice(0, shift)
  return kept !== '' && /^0+$/.test(digits.slice(shift)) ? BigInt(sign + kept) : undefined
}

/** Serializes a value with every `bigint` as the JSON integer that it is. */
export const stringifyExactJson = (value: unknown, indent?: number): string =>
  JSON.stringify(value, writeInteger, indent)

const writeInteger = (_key: string, value: unknown): unknown => {
  if (typeof value !== 'bigint') return value
  // A number writes a safe integer exactly, in two thirds of the time.
  const number = Number(value)
  return Number.isSafeInteger(number) ? number : rawJson(value.toString())
}

// TypeScript's library does not describe JSON.rawJSON yet; the Lambda runtime has it since nodejs22.x.
const { rawJSON: rawJson } = JSON as typeof JSON & { rawJSON: (text: string) => unknown }
