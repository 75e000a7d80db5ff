import { UserError } from '../../../command-line/user-error.ts'
import type { Mistake, PetRow } from './check-row.ts'
import type { Format } from './format.ts'
import { checkText, readRows } from './read-rows.ts'

/** What a file without mistakes has. */
export interface CheckedFile {
  readonly format: Format
  readonly rows: number
  readonly newRows: number
  /** The first line that has an id and no version. */
  readonly lineWithoutVersion: number | undefined
}

/** @throws UserError with the mistakes of the whole file */
export const checkFile = async (file: string, signal: AbortSignal): Promise<CheckedFile> => {
  const format = await checkText(file)
  const lines = new Map<bigint, number>()
  const mistakes: Mistake[] = []
  let rows = 0
  let lineWithoutVersion: number | undefined
  for await (const row of readRows(file)) {
    signal.throwIfAborted()
    if ('mistakes' in row) mistakes.push(...row.mistakes)
    else {
      const { id, line, version } = row
      rows += 1
      const same = id === undefined ? undefined : lines.get(id)
      if (same !== undefined) mistakes.push({ line, column: 'id', text: `${id} is in line ${same} too` })
      if (id !== undefined) lines.set(id, line)
      if (id !== undefined && version === undefined) lineWithoutVersion ??= line
    }
    if (mistakes.length > shownMistakes) break
  }
  failOn(mistakes)
  return { format, rows, newRows: rows - lines.size, lineWithoutVersion }
}

const shownMistakes = 100

/** @throws UserError where there are mistakes */
export const failOn = (mistakes: readonly Mistake[]): void => {
  if (mistakes.length === 0) return
  const lines = mistakes
    .toSorted((one, other) => one.line - other.line)
    .slice(0, shownMistakes)
    .map(({ line, column, text }) => `Line ${line}${column === undefined ? '' : `, column ${column}`}: ${text}.`)
  const more = mistakes.length > shownMistakes ? ['There are more.'] : []
  throw new UserError(['Nothing is written.', ...lines, ...more].join('\n'))
}

/** The rows of a file that was checked. */
export async function* rowsIn(file: string): AsyncGenerator<PetRow> {
  for await (const row of readRows(file)) {
    if ('mistakes' in row) failOn(row.mistakes)
    else yield row
  }
}
