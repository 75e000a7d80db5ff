import { stringifyExactJson } from '../../shared/exact-json.ts'

/**
 * Characters that change what a terminal shows instead of being shown: control (escape sequences), format (text
 * direction), line and paragraph separators, and lone surrogates.
 */
const unprintable = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu

/** One line of text from outside, for a terminal: what it cannot show is escaped, such as `\u{1b}`. */
export const printable = (text: string): string =>
  text.replace(unprintable, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`)

/** Text that may have several lines, such as a stack. */
export const printableLines = (text: string): string => text.replace(/[^\n\t]+/g, (part) => printable(part))

/** Exact JSON with the same value for every parser. `JSON.stringify` leaves most of these characters as they are. */
export const printableJson = (value: unknown, indent?: number): string =>
  stringifyExactJson(value, indent).replace(unprintable, (character) =>
    character === '\n' ? character : character.split('').map(escapeUnit).join(''),
  )

const escapeUnit = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
