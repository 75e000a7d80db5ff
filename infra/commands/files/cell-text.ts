/**
 * Cells of CSV and TSV. A spreadsheet runs a cell such as `=1+1` as a formula; an apostrophe before it prevents that.
 * A name that begins with an apostrophe gets another one, so each cell is read back as it was.
 */

/** Pattern of a text that needs an apostrophe. */
const needsGuard = /^[=+\-@'\t\r]/

/** Pattern of a text that has got an apostrophe. */
const hasGuard = /^'[=+\-@'\t\r]/

/** Puts an apostrophe before a text that needs one. */
export const guardCell = (text: string): string => (needsGuard.test(text) ? `'${text}` : text)

/** A text in quotation marks, within which a quotation mark is doubled. */
const quotedText = /^"((?:[^"]|"")*)"$/

/** A formula such as `="007"`, by which some programs keep spreadsheets from reading a text as a number. */
const textFormula = /^="((?:[^"]|"")*)"$/

/**
 * Reads the text of a cell.
 *
 * @param isQuoted whether quotation marks around the cell are still there, as those of TSV are
 */
export const readCell = (cell: string, isQuoted: boolean): string => {
  if (hasGuard.test(cell)) return cell.slice(1)
  const text = isQuoted ? unwrap(cell, quotedText) : cell
  return unwrap(text, textFormula)
}

const unwrap = (cell: string, wrapped: RegExp): string => wrapped.exec(cell)?.[1]?.replaceAll('""', '"') ?? cell
