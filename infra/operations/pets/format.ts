/** Of the files that commands read and write: CSV for spreadsheets, or JSON Lines. */
export type Format = 'csv' | 'jsonl'

/** The format of a file that a command writes. */
export const formatOf = (file = ''): Format => (file.endsWith('.jsonl') ? 'jsonl' : 'csv')

export const columns = ['id', 'name', 'categoryId', 'status'] as const

/**
 * The beginnings of a cell that a spreadsheet runs as a formula (OWASP, "CSV Injection"). Quotation marks before them are
 * those of an escaped one.
 */
const formula = /^'*[=+\-@\t\r\n＝＋－＠]/

/** Puts an apostrophe before a text that a spreadsheet would run. */
export const escapeFormula = (text: string): string => (formula.test(text) ? `'${text}` : text)

/** The text that `escapeFormula` was given. */
export const unescapeFormula = (text: string): string =>
  text.startsWith("'") && formula.test(text) ? text.slice(1) : text
