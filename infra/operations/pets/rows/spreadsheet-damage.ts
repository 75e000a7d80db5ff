/**
 * Damage that spreadsheets do to values of files. A spreadsheet reads a cell such as `007` or `3E2` as a number, and
 * keeps 15 digits of a number.
 */

const keptDigits = 15

/**
 * Finds damage in a text by the exported value.
 *
 * @example findSpreadsheetDamage('7', '007') // 'was "007" ...'
 * @returns a predicate: a sentence that lacks the name of the field at its beginning
 */
export const findSpreadsheetDamage = (given: unknown, exported: unknown): string | undefined => {
  if (typeof given !== 'string' || exported === undefined || given === String(exported)) return undefined
  const isDamaged = isSameNumber(given, exported) || isRounded(given, exported)
  return isDamaged ? `is ${given}, and was ${exported} before a program took it for a number` : undefined
}

/** Whether a text was replaced by another text of the same number, such as `3E2` by `300`. */
const isSameNumber = (given: string, exported: unknown): boolean => {
  if (typeof exported !== 'string') return false
  const isNumber = given.trim() !== '' && exported.trim() !== '' && Number.isFinite(Number(exported))
  return isNumber && Number(given) === Number(exported)
}

/** Whether digits of a long number were replaced by zeros. */
const isRounded = (given: string, exported: unknown): boolean => {
  const digits = String(exported).replace(/^-/, '')
  if (!/^\d{16,}$/.test(digits)) return false
  const givenDigits = given.replace(/^-/, '')
  const isLongNumber = new RegExp(`^\\d{${keptDigits}}0+$`).test(givenDigits) && givenDigits.length === digits.length
  return isLongNumber && Math.abs(Number(given) - Number(exported)) <= 10 ** (digits.length - keptDigits)
}
