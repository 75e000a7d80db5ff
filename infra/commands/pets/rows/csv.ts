import { CsvError } from 'csv-parse'
import { parse } from 'csv-parse/sync'
import { RefusedFileError } from './refused-file-error.ts'

/** A record of CSV. */
export interface CsvRecord {
  /** Number of the line on which the record begins. */
  readonly line: number
  readonly cells: readonly string[]
}

/**
 * Parses CSV. Records may differ in their numbers of cells, and an empty line is a record of one empty cell.
 *
 * @param handleRecord gets each record before the next one is parsed, so that only what it keeps takes memory
 * @throws RefusedFileError if a quotation mark is not closed
 */
export const parseCsv = (text: string, delimiter: string, handleRecord: (record: CsvRecord) => void): void => {
  // The parser has a line number too, but counts some line ends twice.
  let line = 1
  try {
    parse(text, {
      delimiter,
      // A file that several programs have edited has several kinds of line ends.
      record_delimiter: ['\r\n', '\n', '\r'],
      relax_column_count: true,
      on_record: (cells: string[]) => {
        handleRecord({ line, cells })
        line += 1 + countLineEnds(cells)
        // Null keeps the parser from collecting the records.
        return null
      },
    })
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    throw new RefusedFileError([
      `Line ${line}: a quotation mark is not closed, or is not doubled within a value in quotation marks.`,
    ])
  }
}

const countLineEnds = (cells: readonly string[]): number => {
  const text = cells.join('')
  return /[\r\n]/.test(text) ? (text.match(/\r\n|\n|\r/g)?.length ?? 0) : 0
}

/**
 * Chooses the delimiter: the one that a first line such as `sep=;` names, otherwise the one that the first line
 * contains most often. No column has one in its name.
 */
export const chooseDelimiter = (text: string): string => {
  const [firstLine = ''] = text.trimStart().split(/[\r\n]/, 1)
  const namedDelimiter = /^"?sep=([,;\t])/i.exec(firstLine)?.[1]
  if (namedDelimiter !== undefined) return namedDelimiter

  const countParts = (delimiter: string): number => firstLine.split(delimiter).length
  let chosen = ','
  for (const delimiter of [';', '\t']) {
    if (countParts(delimiter) > countParts(chosen)) chosen = delimiter
  }
  return chosen
}
