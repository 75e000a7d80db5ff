/** JSON Lines: one object on each line. Exports that `restore` takes are JSON Lines. */
import { parseExactJson, stringifyExactJson } from '../../../shared/exact-json.ts'
import { nameFile, RefusedFileError, readText } from './read-file.ts'

export interface JsonLine {
  /** Number of the line in the file. */
  readonly line: number
  readonly values: Readonly<Record<string, unknown>>
}

/**
 * Reads the objects of a file. Empty lines are left out.
 *
 * @param file absolute path, or `-` for standard input
 * @throws RefusedFileError
 */
export const readJsonLines = async (file: string): Promise<readonly JsonLine[]> => {
  const text = await readText(file)
  const mistakes: string[] = []
  // Only a line feed ends a line, because a JSON string may contain other line separators.
  const rows = text.split('\n').flatMap((json, index): readonly JsonLine[] => {
    if (json.trim() === '') return []
    const values = parseObject(json)
    if (values !== undefined) return [{ line: index + 1, values }]
    mistakes.push(`line ${index + 1} is no JSON object. Each line must be one, as "pets export --json" writes them.`)
    return []
  })
  if (mistakes.length > 0) throw new RefusedFileError(nameFile(file), mistakes)
  if (rows.length === 0) throw new RefusedFileError(nameFile(file), ['the file is empty.'])
  return rows
}

const parseObject = (json: string): JsonLine['values'] | undefined => {
  try {
    const value: unknown = parseExactJson(json)
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
    return isObject ? (value as JsonLine['values']) : undefined
  } catch {
    return undefined
  }
}

/** Formats a line, with its line feed. */
export const formatJsonLine = (values: object): string =>
  // JSON allows U+2028 and U+2029 in strings, but some programs read them as the end of a line.
  `${stringifyExactJson(values).replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029')}\n`
