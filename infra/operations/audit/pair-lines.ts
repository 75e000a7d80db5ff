/** The changes of the audit, each made of its two lines. */
import { parseExactJson } from '../../../shared/exact-json.ts'
import type { AuditLine, Outcome } from '../environment/audit.ts'
import type { WrittenLine } from './read-lines.ts'

/** A change with what became of it. */
export interface AuditedChange extends Omit<AuditLine, 'outcome'> {
  /** `unfinished`: the second line is missing, so the change was made or not. */
  readonly outcome: Outcome | 'unfinished'
}

/**
 * Parses lines.
 *
 * @param addUnreadable gets each line that cannot be read, because it is torn
 */
export async function* parseLines(
  lines: AsyncIterable<WrittenLine>,
  addUnreadable: (line: WrittenLine) => void,
): AsyncGenerator<AuditLine> {
  for await (const line of lines) {
    const auditLine = parseLine(line.text)
    if (auditLine === undefined) addUnreadable(line)
    else yield auditLine
  }
}

const parseLine = (text: string): AuditLine | undefined => {
  try {
    const value = parseExactJson(text)
    return isAuditLine(value) ? value : undefined
  } catch {
    return undefined
  }
}

const textFields = ['time', 'who', 'environment', 'action', 'changeId', 'outcome']

const isAuditLine = (value: unknown): value is AuditLine => {
  const fields: Readonly<Record<string, unknown>> = Object(value)
  return textFields.every((name) => typeof fields[name] === 'string') && Array.isArray(fields['ids'])
}

/**
 * Pairs the lines of each change. A change is yielded when its second line is there. Changes without a second line
 * are yielded last.
 */
export async function* pairLines(lines: AsyncIterable<AuditLine>): AsyncGenerator<AuditedChange> {
  const begun = new Map<string, AuditLine>()
  /** Ids of changes whose second line came before the first, for example because a clock was set back. */
  const endedBeforeBegun = new Set<string>()

  for await (const line of lines) {
    const { changeId, outcome } = line
    if (outcome === 'begun') {
      if (!endedBeforeBegun.has(changeId)) begun.set(changeId, line)
      continue
    }
    if (!begun.delete(changeId)) endedBeforeBegun.add(changeId)
    yield { ...line, outcome }
  }

  for (const line of begun.values()) yield { ...line, outcome: 'unfinished' }
}
