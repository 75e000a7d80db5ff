import { Readable } from 'node:stream'
import { stringifyExactJson } from '../../../shared/exact-json.ts'
import { runInterruptibly, startProgress } from '../../command-line/long-work.ts'
import { formatPrintableJson, makePrintable } from '../../command-line/printable.ts'
import { formatCount, formatNumber, writeOutputStream } from '../../command-line/report.ts'
import type { AuditLine } from '../environment/audit.ts'
import type { Environment } from '../environment/open-environment.ts'
import { type AuditedChange, pairLines, parseLines } from './pair-lines.ts'
import { type LineFilter, readLines, type WrittenLine } from './read-lines.ts'

interface ShowOptions extends LineFilter {
  /** Part of the AWS identity or the local user, in capitals or small letters. */
  readonly who?: string | undefined
  /** Whether each line is a JSON object, rather than words for people. */
  readonly json?: boolean | undefined
}

/** Prints the changes that match, one line each. Notes on standard error say which lines are missing or torn. */
export const showChanges = async (
  { auditTrail }: Pick<Environment, 'auditTrail'>,
  { json = false, ...filter }: ShowOptions,
): Promise<undefined> => {
  const unreadableLines: WrittenLine[] = []
  let count = 0
  let unfinishedCount = 0

  async function* formatChanges() {
    // On a terminal, the line of progress would be among the changes.
    using progress = process.stdout.isTTY ? undefined : startProgress('lines')
    const lines = parseLines(readLines(auditTrail, filter), (line) => unreadableLines.push(line))
    for await (const change of pairLines(selectLines(lines, filter, () => progress?.count(1)))) {
      count += 1
      if (change.outcome === 'unfinished') unfinishedCount += 1
      yield `${json ? formatPrintableJson(change) : formatChange(change)}\n`
    }
  }

  await runInterruptibly(
    () => 'The changes are not complete. Run the same command again.',
    (signal) => writeOutputStream(Readable.from(formatChanges()), signal),
  )
  if (count === 0) console.error('No change matches.')
  if (unfinishedCount > 0) console.error(describeUnfinished(unfinishedCount))
  for (const note of describeUnreadable(unreadableLines)) console.error(note)
}

/** Selects the lines that match. Both lines of a change match alike, unless it began before `since`. */
async function* selectLines(
  lines: AsyncIterable<AuditLine>,
  { id, who = '', since = Number.NEGATIVE_INFINITY }: ShowOptions,
  countLine: () => void,
): AsyncGenerator<AuditLine> {
  for await (const line of lines) {
    countLine()
    const hasId = id === undefined || line.ids.includes(id)
    const hasWho = line.who.toLowerCase().includes(who.toLowerCase())
    if (hasId && hasWho && Date.parse(line.time) >= since) yield line
  }
}

const describeUnfinished = (count: number): string =>
  `${formatCount(count, 'change')} unfinished: made or not. The command still runs, was killed, or could not write ` +
  'the outcome. The pet or key shows whether the change was made.'

const maximumDescribed = 10

const describeUnreadable = (lines: readonly WrittenLine[]): readonly string[] => {
  const notes = lines
    .slice(0, maximumDescribed)
    .map(({ place }) => `Left out, because it is torn: ${makePrintable(place)}.`)
  const furtherCount = lines.length - notes.length
  if (furtherCount > 0) notes.push(`Left out as well: ${formatNumber(furtherCount)} more torn lines.`)
  return notes
}

/** Widths of an outcome, of the name of a command, and of the id of a pet. */
const columnWidths = { outcome: 10, action: 12, ids: 16 }

/** Formats a change for people: when, its outcome, the command, the ids, who, and the values before and after. */
const formatChange = ({ time, outcome, action, ids, who, why, reason, ...values }: AuditedChange): string => {
  const cells = [
    time,
    outcome.padEnd(columnWidths.outcome),
    makePrintable(action).padEnd(columnWidths.action),
    makePrintable(ids.join(',')).padEnd(columnWidths.ids),
    makePrintable(who),
    ...describeValues(values.old, values.new),
  ]
  if (why !== undefined) cells.push(`why: ${makePrintable(why)}`)
  if (reason !== undefined) cells.push(`reason: ${makePrintable(reason)}`)
  return cells.join('  ')
}

/** Describes the values that differ, or all of them if the change adds or removes something. */
const describeValues = (before: object | null, after: object | null): readonly string[] => {
  if (before === null && after === null) return []
  if (before === null) return [`new: ${formatPrintableJson(after)}`]
  if (after === null) return [`old: ${formatPrintableJson(before)}`]

  const oldValues = new Map<string, unknown>(Object.entries(before))
  const changed = Object.entries(after).filter(([name, value]) => !isSameValue(oldValues.get(name), value))
  return changed.map(([name, value]) => {
    const transition = [oldValues.get(name) ?? null, value].map((part) => formatPrintableJson(part)).join(' -> ')
    return `${makePrintable(name)}: ${transition}`
  })
}

const isSameValue = (one: unknown, other: unknown): boolean =>
  stringifyExactJson(one ?? null) === stringifyExactJson(other ?? null)
