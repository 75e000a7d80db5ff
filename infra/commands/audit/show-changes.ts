import { systemClock } from '../../../shared/clock.ts'
import type { Attributes } from '../../../shared/dynamodb/conditional-write.ts'
import { formatPrintableJson, makePrintable } from '../../command-line/printable.ts'
import { formatCount, writeOutput } from '../../command-line/report.ts'
import { formatUtcTime } from '../../command-line/utc-time.ts'
import { formatChangeTime, type Target } from '../changes/record.ts'
import { describeDifference } from '../changes/report.ts'
import type { TableAccess } from '../environment/open-environment.ts'
import { type AuditedChange, readChanges } from './read-changes.ts'

/** The changes to show, and how. */
interface ChangeSelection {
  readonly target?: Target | undefined
  /** Milliseconds since the Unix epoch. */
  readonly since: number
  /** Text in the line of the change, in capitals or small letters. */
  readonly match?: string | undefined
  readonly source?: string | undefined
  /** Whether each line is a JSON object, rather than words for people. */
  readonly json?: boolean | undefined
}

/** Prints the changes that match, one line each, page by page. Notes on standard error say how many were not made. */
export const showChanges = async (environment: TableAccess, selection: ChangeSelection): Promise<undefined> => {
  let count = 0
  let notMadeCount = 0
  for await (const page of readPages(environment, selection)) {
    const changes = page.map(makeReadable).filter((change) => isSelected(change, selection))
    count += changes.length
    notMadeCount += changes.filter(({ outcome }) => outcome !== 'made').length
    const format = selection.json === true ? formatAsJson : formatChange
    await writeOutput(changes.map((change) => `${format(change)}\n`).join(''))
  }

  if (count === 0) console.error(describeNoChange(selection))
  if (notMadeCount > 0) {
    const sentence = 'A command that still runs may make its change yet.'
    console.error(`${formatCount(notMadeCount, 'change')} not made so far. ${sentence}`)
  }
}

const describeNoChange = ({ target, since }: ChangeSelection): string => {
  const ofTarget = target === undefined ? '' : ` of the ${target.replace('#', ' ')}`
  const sinceTime = since === 0 ? '' : ` since ${new Date(since).toISOString()}`
  return `The audit has no matching change${ofTarget}${sinceTime}.`
}

/** Reads the pages of one target, or of all days since a time. */
async function* readPages(
  environment: TableAccess,
  { target, since }: ChangeSelection,
): AsyncGenerator<readonly AuditedChange[]> {
  const from = formatChangeTime(since)
  if (target !== undefined) {
    yield* readChanges(environment, { target }, from)
    return
  }
  for (const day of listDays(since, systemClock())) yield* readChanges(environment, { day }, from)
}

const dayMilliseconds = 86_400_000

/** Lists the UTC days from one time to another, and one more: the clock of another operator may be ahead. */
const listDays = (from: number, to: number): readonly string[] => {
  const firstDay = Math.floor(from / dayMilliseconds)
  const lastDay = Math.floor(to / dayMilliseconds) + 1
  return Array.from({ length: lastDay - firstDay + 1 }, (_, index) =>
    new Date((firstDay + index) * dayMilliseconds).toISOString().slice(0, 10),
  )
}

const isSelected = (change: AuditedChange, { match = '', source }: ChangeSelection): boolean => {
  if (source !== undefined && change.source !== source) return false
  return formatChange(change).toLowerCase().includes(match.toLowerCase())
}

/** Attributes of keys whose values are Unix seconds. Zero is no time. */
const timeAttributes: ReadonlySet<string> = new Set([
  'bannedUntil',
  'expiresAt',
  'meteredFrom',
  'overlapEndsAt',
  'revokedAt',
])

/** Formats the values of a key as `keys show` does: times as text, and without the gateway key. */
const makeReadable = (change: AuditedChange): AuditedChange =>
  change.target.startsWith('key#')
    ? { ...change, old: formatKeyValues(change.old), new: formatKeyValues(change.new) }
    : change

const formatKeyValues = (values: Attributes | null): Attributes | null => {
  if (values === null) return null
  const shown = Object.entries(values).filter(([name]) => name !== 'gatewayKey')
  return Object.fromEntries(shown.map(([name, value]) => [name, timeAttributes.has(name) ? formatTime(value) : value]))
}

/** Formats Unix seconds. Any other value stays as it is: somebody may have edited the item by hand. */
const formatTime = (value: unknown): unknown => {
  if (value === 0) return null
  return typeof value === 'number' ? formatUtcTime(value) : value
}

/** Formats a change for scripts, without the attributes that only the table needs. */
const formatAsJson = ({ keyHash: _hash, day: _day, expiresAt: _end, ...change }: AuditedChange): string =>
  formatPrintableJson({ ...change, id: findId(change) })

const findId = ({ target }: Pick<AuditedChange, 'target'>): string => target.replace(/^.*?#/, '')

/** Widths of the name of a command, and of the id of a pet. */
const columnWidths = { action: 12, id: 16 }

/** Formats a change for people: its id with the time, the command, the id, who, the values, and what else is known. */
const formatChange = (change: AuditedChange): string => {
  const { changeId, outcome, action, who, why, source, number, inputFile, old, new: after } = change
  const cells = [
    changeId,
    makePrintable(action).padEnd(columnWidths.action),
    makePrintable(findId(change)).padEnd(columnWidths.id),
    makePrintable(who),
    describeValues(old, after),
  ]
  if (source !== undefined) cells.push(`source: ${makePrintable(`${source} ${number ?? ''}`.trimEnd())}`)
  if (inputFile !== undefined) cells.push(`file: ${makePrintable(inputFile)}`)
  if (why !== undefined) cells.push(`why: ${makePrintable(why)}`)
  if (outcome !== 'made') cells.push(outcome)
  return cells.join('  ')
}

/** Describes the values that differ, or all of them if the change adds or removes something. */
const describeValues = (before: Attributes | null, after: Attributes | null): string => {
  if (after === null) return `old: ${formatPrintableJson(before)}`
  return before === null ? `new: ${formatPrintableJson(after)}` : describeDifference(before, after)
}
