/**
 * Text from outside, such as the names of pets and the owners of keys, in a form that is safe to print on a terminal.
 */
import { stringifyExactJson } from '../../shared/exact-json.ts'

/**
 * Characters that change the output of a terminal instead of being shown: control (Cc, for example escape sequences),
 * format (Cf, for example text direction), line and paragraph separators (Zl, Zp), and lone surrogates (Cs).
 */
const unprintable = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu

/** Escapes text for one line of a terminal, for example a control character as `\u{1b}`. */
export const makePrintable = (text: string): string =>
  text.replace(unprintable, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`)

/** Escapes text of several lines, for example a stack trace. Line feeds and tabs stay. */
export const makeLinesPrintable = (text: string): string => text.replace(/[^\n\t]+/g, (part) => makePrintable(part))

/** Escapes one UTF-16 code unit as JSON does, for example `\u001b`. */
const escapeCodeUnit = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`

/**
 * Formats a value as exact JSON that is safe to print. Every JSON parser reads the same value from it. `JSON.stringify`
 * leaves most unprintable characters as they are.
 */
export const formatPrintableJson = (value: unknown, indent?: number): string =>
  stringifyExactJson(value, indent).replace(unprintable, (character) => {
    // Within strings, stringifyExactJson has escaped line feeds. The others come from the indentation.
    if (character === '\n') return character
    const codeUnits = character.split('')
    return codeUnits.map(escapeCodeUnit).join('')
  })
