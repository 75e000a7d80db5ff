import type { Clock } from '../../../shared/clock.ts'
import { stringifyExactJson } from '../../../shared/exact-json.ts'
import { formatPrintableJson, makePrintable } from '../../command-line/printable.ts'
import { formatCount, writeOutput } from '../../command-line/report.ts'
import { formatUtcTime } from '../../command-line/utc-time.ts'
import type { Target } from '../environment/change-audit.ts'
import type { Environment } from '../environment/open-environment.ts'
import { type AuditedChange, readChanges } from '../environment/read-audit.ts'

interface ShowOptions {
  readonly target?: Target | undefined
  /** UTC day such as `2030-12-31`. */
  readonly day?: string | undefined
  /** Milliseconds since the Unix epoch. */
  readonly since?: number | undefined
  /** Part of the AWS identity or the local user, in capitals or small letters. */
  readonly who?: string | undefined
  /** Part of the reason, in capitals or small letters. */
  readonly why?: string | undefined
  readonly source?: string | undefined
  /** Whether each line is a JSON object, rather than words for people. */
  readonly json?: boolean | undefined
}

/** Prints the changes that match, one line each, page by page. Notes on standard error say how many were not made. */
export const showChanges = async (
  environment: Pick<Environment, 'database' | 'tables'>,
  options: ShowOptions,
  clock: Clock,
): Promise<undefined> => {
  let count = 0
  let missingCount = 0
  for await (const page of readMatchingPages(environment, options, clock)) {
    // The outcomes are derived from all records, so that a filter hides none that an outcome depends on.
    const changes = page.filter((change) => matches(change, options)).map(makeReadable)
    count += changes.length
    missingCount += changes.filter(({ outcome }) => outcome !== 'made').length
    const format = options.json === true ? formatAsJson : formatChange
    await writeOutput(changes.map((change) => `${format(change)}\n`).join(''))
  }

  if (count === 0) console.error(describeNoChange(options))
  if (missingCount > 0) {
    const sentence = 'A command that still runs may make its change yet.'
    console.error(`${formatCount(missingCount, 'change')} not made so far. ${sentence}`)
  }
}

const describeNoChange = ({ target, since }: ShowOptions): string => {
  const ofTarget = target === undefined ? '' : ` of the ${target.replace('#', ' ')}`
  const sinceTime = since === undefined ? '' : ` since ${new Date(since).toISOString()}`
  return `The audit has no matching change${ofTarget}${sinceTime}.`
}

/** Reads the pages of one target, of one day, or of all days since a time. */
async function* readMatchingPages(
  environment: Pick<Environment, 'database' | 'tables'>,
  { target, day, since }: ShowOptions,
  clock: Clock,
): AsyncGenerator<readonly AuditedChange[]> {
  const sinceText = new Date(since ?? 0).toISOString()
  // A change id is longer than its day, and `~` sorts behind all of its characters.
  const range = { from: day === undefined || day < sinceText ? sinceText : day, to: `${day ?? '9'}~`, clock }
  if (target !== undefined) {
    yield* readChanges(environment, { target }, range)
    return
  }
  const days = day === undefined ? listDays(since ?? clock(), clock()) : [day]
  for (const each of days) yield* readChanges(environment, { day: each }, range)
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

const matches = (change: AuditedChange, { who = '', why = '', source }: ShowOptions): boolean => {
  if (!change.who.toLowerCase().includes(who.toLowerCase())) return false
  if (!(change.why ?? '').toLowerCase().includes(why.toLowerCase())) return false
  return source === undefined || change.source === source
}

/** Attributes of keys whose values are Unix seconds. Zero is no time. */
const timeAttributes: ReadonlySet<string> = new Set([
  'bannedUntil',
  'expiresAt',
  'meteredFrom',
  'overlapEndsAt',
  'revokedAt',
])

/** Writes the values of a key as `keys show` does: times as text, and without its API Gateway key. */
const makeReadable = (change: AuditedChange): AuditedChange =>
  change.target.startsWith('key#')
    ? { ...change, old: formatKeyValues(change.old), new: formatKeyValues(change.new) }
    : change

const formatKeyValues = (values: object | null): object | null => {
  if (values === null) return null
  const shown = Object.entries(values).filter(([name]) => name !== 'gatewayKey')
  return Object.fromEntries(shown.map(([name, value]) => [name, timeAttributes.has(name) ? formatTime(value) : value]))
}

/** Formats Unix seconds. What is no number stays: somebody may have edited the item by hand. */
const formatTime = (value: unknown): unknown => {
  if (value === 0) return null
  return typeof value === 'number' ? formatUtcTime(value) : value
}

/** Formats a change for scripts, without the attributes that only the table needs. */
const formatAsJson = ({ itemKey: _key, day: _day, expiresAt: _end, ...change }: AuditedChange): string =>
  formatPrintableJson({ ...change, id: findId(change) })

const findId = ({ target }: Pick<AuditedChange, 'target'>): string => target.replace(/^.*?#/, '')

/** Widths of an outcome, of the name of a command, and of the id of a pet. */
const columnWidths = { outcome: 15, action: 12, id: 16 }

/** Formats a change for people: its id with the time, its outcome, the command, the id, who, and the values. */
const formatChange = (change: AuditedChange): string => {
  const { changeId, outcome, action, who, why, source, old, new: after } = change
  const cells = [
    changeId,
    outcome.padEnd(columnWidths.outcome),
    makePrintable(action).padEnd(columnWidths.action),
    makePrintable(findId(change)).padEnd(columnWidths.id),
    makePrintable(who),
    ...describeValues(old, after),
  ]
  if (source !== undefined) cells.push(`source: ${makePrintable(source)}`)
  if (why !== undefined) cells.push(`why: ${makePrintable(why)}`)
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
