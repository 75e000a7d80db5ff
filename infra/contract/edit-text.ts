import { UserError } from '../command-line/user-error.ts'

/** One edit of a text that another program generated or that people maintain. */
interface TextEdit {
  /** The file with the text, for the message. */
  readonly file: string
  /** Purpose of the edit, for the message. Follows "cannot", such as `update the table of plans`. */
  readonly purpose: string
  /** The part to replace. */
  readonly part: string
  readonly replacement: string
}

/**
 * Replaces the first occurrence of a part of a text.
 *
 * @throws UserError that names the edit and the file if the text does not contain the part
 */
export const replacePart = (text: string, { file, purpose, part, replacement }: TextEdit): string => {
  if (!text.includes(part)) throw createEditError(file, purpose, part)
  // A function, because `replace` would interpret a `$` in a string.
  return text.replace(part, () => replacement)
}

/** One edit of a Markdown table, of which some or all rows are generated. */
interface TableEdit {
  readonly file: string
  readonly purpose: string
  /** First characters of the table's head, such as `| plan |`. */
  readonly head: string
  /** Whether a row is generated. Other rows stay. */
  readonly isGenerated: (row: string) => boolean
  readonly rows: readonly string[]
}

/**
 * Replaces the generated rows of a Markdown table. The new rows come before the rows that stay.
 *
 * @throws UserError that names the edit and the file if the text does not contain the table
 */
export const replaceTableRows = (text: string, { file, purpose, head, isGenerated, rows }: TableEdit): string => {
  const lines = text.split('\n')
  const headIndex = lines.findIndex((line) => line.startsWith(head))
  if (headIndex === -1) throw createEditError(file, purpose, head)

  // The line after the head separates it from the rows.
  const firstRow = headIndex + 2
  const nextLine = lines.findIndex((line, index) => index >= firstRow && !line.startsWith('|'))
  const tableEnd = nextLine === -1 ? lines.length : nextLine

  const otherRows = lines.slice(firstRow, tableEnd).filter((row) => !isGenerated(row))
  return [...lines.slice(0, firstRow), ...rows, ...otherRows, ...lines.slice(tableEnd)].join('\n')
}

/** One edit of a section that stands between two lines of a file. */
interface SectionEdit {
  readonly file: string
  readonly purpose: string
  /** The line before the section, with its line feed. */
  readonly begin: string
  /** First characters of the line after the section. */
  readonly end: string
  readonly section: string
}

/**
 * Replaces what stands between two lines of a text.
 *
 * @throws UserError that names the edit and the file if the text lacks one of the lines
 */
export const replaceSection = (text: string, { file, purpose, begin, end, section }: SectionEdit): string => {
  const beginIndex = text.indexOf(begin)
  if (beginIndex === -1) throw createEditError(file, purpose, begin)
  const sectionStart = beginIndex + begin.length
  const endIndex = text.indexOf(end, sectionStart)
  if (endIndex === -1) throw createEditError(file, purpose, end)
  return text.slice(0, sectionStart) + section + text.slice(endIndex)
}

const createEditError = (file: string, purpose: string, part: string): UserError =>
  new UserError(`Cannot ${purpose} in ${file}: it has no "${part}".`)
