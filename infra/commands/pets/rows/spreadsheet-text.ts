/**
 * Texts in CSV. A spreadsheet runs a text such as `=1+1` as a formula, and turns `007`, `May 5`, `(5)`, `5 %` or `true`
 * into a number, a date or a boolean. An apostrophe before a text prevents both. Which texts a spreadsheet converts
 * depends on its language; all of them have a digit, or are the word for true or false.
 */

const formula = /^[=+\-@\t\r\n＝＋－＠]/

const digit = /\p{N}/u

/** Words for true and false in languages of spreadsheets. */
const booleans: ReadonlySet<string> = new Set([
  'true',
  'false',
  'wahr',
  'falsch',
  'waar',
  'onwaar',
  'sant',
  'falskt',
  'sand',
  'falsk',
  'sann',
  'usann',
  'tosi',
  'epätosi',
  'vrai',
  'faux',
  'verdadero',
  'falso',
  'verdadeiro',
  'vero',
  'fals',
  'adevărat',
  'prawda',
  'fałsz',
  'pravda',
  'nepravda',
  'igaz',
  'hamis',
  'doğru',
  'yanlış',
  'истина',
  'ложь',
])

/** Whether a spreadsheet could take a text for something else. An empty cell is no value, so the empty text counts. */
const isAmbiguous = (text: string): boolean =>
  text === '' || formula.test(text) || digit.test(text) || booleans.has(text.trim().toLowerCase())

/** Whether a cell has an apostrophe that `protectText` has added, and that reading removes. */
const isProtected = (cell: string): boolean => cell.startsWith("'") && isAmbiguous(cell.replace(/^'+/, ''))

/**
 * Puts an apostrophe before a text that needs one. Other texts with apostrophes at their beginning stay as they are.
 */
export const protectText = (text: string): string => (isAmbiguous(text) || isProtected(text) ? `'${text}` : text)

/** A text that was read from a cell. */
export interface CellText {
  readonly text: string
  /** Whether a spreadsheet may have made the text: it needs an apostrophe, and the cell has none. */
  readonly isExposed: boolean
}

/** Reads the text of a cell. The empty cell has none. */
export const readCell = (cell: string): CellText | undefined => {
  if (cell === '') return undefined
  return isProtected(cell) ? { text: cell.slice(1), isExposed: false } : { text: cell, isExposed: isAmbiguous(cell) }
}

/** Whether `protectText` would put an apostrophe before a text. */
export const needsProtection = (text: string): boolean => protectText(text) !== text

/** Digits that every program keeps of a number. */
const keptDigits = 15

/**
 * Whether an integer is another one after a program has rounded it. Programs that compute with double precision give
 * another integer of the same double, and spreadsheets replace the digits after the fifteenth by zeros.
 *
 * @example isRounded(1234567890123456800n, 1234567890123456789n) // true: jq 1.6
 * @example isRounded(1234567890123450000n, 1234567890123456789n) // true: a spreadsheet
 */
export const isRounded = (given: bigint, exact: bigint): boolean => {
  const digitCount = String(exact).replace('-', '').length
  if (given === exact || digitCount <= keptDigits) return false
  const unit = 10n ** BigInt(digitCount - keptDigits)
  const difference = given > exact ? given - exact : exact - given
  const endsInZeros = given % unit === 0n && difference <= unit
  return Number(given) === Number(exact) || endsInZeros
}
