/** The forms in which words and numbers of shelters are compared. Texts that look alike have the same form. */

/** Characters that nobody sees: control characters, and those that Unicode says to ignore, such as U+200B. */
const invisible = /[\p{Cc}\p{Default_Ignorable_Code_Point}]/gu

/** White space, but for the byte order mark, which is invisible. */
const whiteSpace = /[^\S\ufeff]/gu

/**
 * Converts a text into the form in which it is compared: one Unicode form, each white space a plain space, nothing
 * invisible, trimmed.
 */
export const toComparingForm = (text: string): string =>
  text.replaceAll(whiteSpace, ' ').replaceAll(invisible, '').normalize('NFC').trim()

/**
 * Folds a text for a search: texts that differ only in capitals become the same, also `STRASSE` and `straße`, or
 * `istanbul` and `İstanbul`.
 */
export const foldForSearch = (text: string): string =>
  // In lower case İ becomes an i with a combining dot, and capitals keep the dot. No other language has that letter.
  toComparingForm(text).toLowerCase().toUpperCase().replaceAll('I\u0307', 'I').normalize('NFC')
