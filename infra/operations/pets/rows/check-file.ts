import { UserError } from '../../../command-line/user-error.ts'
import type { Mistake, PetRow } from './check-row.ts'
import { checkText, readRows } from './read-rows.ts'

/** What a file without mistakes has. */
export interface CheckedFile {
  readonly rows: number
  readonly newRows: number
}

/**
 * @param overwrites whether a row with an id may have no version
 * @throws UserError with the mistakes of the whole file
 */
export const checkFile = async (file: string, overwrites: boolean, signal: AbortSignal): Promise<CheckedFile> => {
  await checkText(file)
  const lines = new Map<bigint, number>()
  const mistakes: Mistake[] = []
  let rows = 0
  // Said once: a file that lacks them lacks all.
  let isSaid = overwrites
  for await (const row of readRows(file)) {
    signal.throwIfAborted()
    if ('mistakes' in row) mistakes.push(...row.mistakes)
    else {
      const { id, line, version } = row
      rows += 1
      const same = id === undefined ? undefined : lines.get(id)
      if (same !== undefined) mistakes.push({ line, column: 'id', text: `${id} is in line ${same} too` })
      if (id !== undefined) lines.set(id, line)
      if (id === undefined || version !== undefined || isSaid) continue
      isSaid = true
      mistakes.push({ line, column: 'version', text: withoutVersion })
    }
    if (mistakes.length > shownMistakes) break
  }
  failOn(mistakes)
  return { rows, newRows: rows - lines.size }
}

const withoutVersion =
  'is missing, so nothing shows whether somebody else has changed the pet. Export the pets again, and change that file; or add --overwrite'

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
