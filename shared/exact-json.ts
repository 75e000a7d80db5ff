/**
 * JSON with exact integers. `JSON.parse` and `JSON.stringify` alone round integers beyond 2^53, and a rounded id
 * belongs to another animal.
 */

/**
 * A member of an object in a JSON text has a name that is repeated or escaped. The message is a sentence that lacks its
 * subject, such as "The body", and its full stop.
 *
 * - Of several members with one name, `JSON.parse` keeps only the last (RFC 7493 forbids them).
 * - V8 may read an escaped name as another one, of a text that it has parsed before (nodejs/node issue 63785). So one
 *   request could change how the next one is read.
 */
export class MemberNameError extends Error {}

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
 * Parses JSON text. Every integer becomes a `bigint`, read from its source text. In JSON Schema `1.0` and `1e3` are
 * integers too, and `1.0000000000000000001` is not.
 *
 * @example parseExactJson('{"id":9007199254740993}') // { id: 9007199254740993n }
 * @throws SyntaxError when the text is not JSON
 * @throws MemberNameError when the name of a member is repeated or escaped
 */
export const parseExactJson = (text: string): unknown => {
  // Comes first, because V8 must not parse an escaped name.
  const writtenMembers = countWrittenMembers(text)

  // Starts at -1: JSON.parse passes the whole value to the reviver too, as the only member of an object.
  let parsedMembers = -1
  const revive = function (this: unknown, _key: string, member: unknown, context?: SourceText): unknown {
    if (!Array.isArray(this)) parsedMembers += 1
    return reviveInteger(member, context)
  }

  const value: unknown = JSON.parse(text, revive)

  if (writtenMembers > parsedMembers) throw new MemberNameError('has a field twice. Write each field once')
  return value
}

/**
 * Tells whether a text has more JSON values than `maximum`, without parsing it. The text may be invalid JSON. The rest
 * of the text is not read once the maximum is exceeded. An empty array or object counts as two values.
 */
export const hasMoreValues = (text: string, maximum: number): boolean => {
  let values = 1
  // Every value except the first follows one of the marks [ { , outside of strings. The last string may be
  // unterminated.
  for (const [mark] of text.matchAll(/[[{,]|"[^"\\]*(?:\\[\s\S][^"\\]*)*(?:"|\\?$)/g)) {
    if (!mark.startsWith('"')) values += 1
    if (values > maximum) return true
  }
  return false
}

/** Serializes a value. Every `bigint` becomes a JSON integer with all its digits. */
export const stringifyExactJson = (value: unknown, indent?: number): string =>
  JSON.stringify(value, replaceBigInt, indent)

/** A JSON string, and the colon after it if the string is a name. The last string may be unterminated. */
const stringPattern = /"([^"\\]*(?:\\[\s\S][^"\\]*)*)(?:"|\\?$)\s*(:?)/g

/**
 * Counts the members of all objects in a text, which may be invalid JSON.
 *
 * @throws MemberNameError when a name is escaped
 */
const countWrittenMembers = (text: string): number => {
  let members = 0
  for (const [, content = '', colon] of text.matchAll(stringPattern)) {
    if (colon === '') continue
    if (content.includes('\\')) {
      throw new MemberNameError('has a field with a backslash in its name. Write names without escapes')
    }
    members += 1
  }
  return members
}

/** Turns a number into a `bigint` if its source text denotes an integer. Other values pass unchanged. */
const reviveInteger = (value: unknown, context?: SourceText): unknown => {
  if (typeof value !== 'number' || context?.source === undefined) return value
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
