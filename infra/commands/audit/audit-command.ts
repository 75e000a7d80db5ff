/** `npm run audit`: shows the changes that operators have made. */
import { InvalidArgumentError } from '@commander-js/extra-typings'
import { systemClock } from '../../../shared/clock.ts'
import type { Attributes } from '../../../shared/dynamodb/conditional-write.ts'
import { formatExamples } from '../../command-line/command.ts'
import { formatPrintableJson, makePrintable } from '../../command-line/printable.ts'
import { formatCount, writeOutput } from '../../command-line/report.ts'
import { UsageError } from '../../command-line/user-error.ts'
import { formatUnixSeconds, parseDuration, parseUtcTime } from '../../command-line/utc-time.ts'
import { describeChange } from '../changes/describe-change.ts'
import { findIdOfAnimal } from '../changes/number-index.ts'
import { formatChangeTime, formatKeyTarget, formatPetTarget, readTargetId, type Target } from '../changes/record.ts'
import { createEnvironmentCommand, runEnvironmentCommand } from '../environment/environment-command.ts'
import type { TableAccess } from '../environment/open-environment.ts'
import { type AuditedChange, readChanges } from './read-changes.ts'

const description =
  'Shows the changes that operators have made, one line each, the oldest first; with --json as JSON Lines. Without an ' +
  'id and a time it shows those of the last 24 hours.'

export const createAuditCommand = () =>
  createEnvironmentCommand('npm run audit --', description)
    .argument('[id]', 'only changes of the pet or API key with this id', parseTarget)
    .option(
      '--since <time>',
      'only changes since a UTC time such as 2030-12-31 or 2030-12-31T23:59Z, or since a time ago: 90m, 24h, 7d',
      parsePastTime,
    )
    .option('--match <text>', 'only changes whose line has this text: an operator, a command, a reason, a name')
    .option('--source <name>', "only changes of the animals of this shelter's file")
    .option('--number <number>', 'with --source: all changes of the animal with this number')
    .addHelpText(
      'after',
      formatExamples(
        'npm run audit -- 5 --env staging',
        'npm run audit -- --env staging --match alice --since 7d',
        'npm run audit -- --env staging --source elm-street --number A17',
      ),
    )
    .action((target, { number, source, since, ...options }) => {
      if (number !== undefined && source === undefined) throw new UsageError('--number needs --source.')
      if (number !== undefined && target !== undefined) throw new UsageError('Give an id or a number, not both.')
      return runEnvironmentCommand(options, async (environment) => {
        const isAnimalGiven = source !== undefined && number !== undefined
        // Every change of an animal's pet has its source in the audit, so the filter by source keeps all of them.
        const shownTarget = isAnimalGiven
          ? formatPetTarget(await findIdOfAnimal(environment, { source, number }))
          : target
        const defaultSince = shownTarget === undefined ? systemClock() - dayMilliseconds : 0
        return showChanges(environment, { ...options, source, target: shownTarget, since: since ?? defaultSince })
      })
    })

/**
 * Parses the id of a pet or a key. The id of a pet is an int64, which has at most 19 digits. A damaged item of a key
 * may lack the id: the audit then names the key by its hash, which is 64 hexadecimal digits.
 */
const parseTarget = (id: string): Target => {
  if (/^[1-9]\d{0,18}$/.test(id)) return formatPetTarget(BigInt(id))
  if (/^(key_\w+|[\da-f]{64})$/.test(id)) return formatKeyTarget(id)
  throw new InvalidArgumentError('It must be the id of a pet, such as 150739, or of an API key, such as key_0mh2x5.')
}

const dayMilliseconds = 86_400_000

/** Parses a time in the past. @returns milliseconds since the Unix epoch */
const parsePastTime = (text: string): number => {
  const ago = parseDuration(text)
  const time = Number.isNaN(ago) ? parseUtcTime(text) : systemClock() - ago
  if (time <= systemClock()) return time
  throw new InvalidArgumentError('It must be a time in the past, such as 2025-12-31, 2025-12-31T23:59Z or 24h.')
}

interface ChangeSelection {
  readonly target?: Target | undefined
  /** Milliseconds since the Unix epoch; 0 for all changes. */
  readonly since: number
  /** Text that the line for people contains, also if the output is JSON; case does not count. */
  readonly match?: string | undefined
  /** Name of the source that the changed pets come from. */
  readonly source?: string | undefined
  /** Whether each line is a JSON object, rather than words for people. */
  readonly json?: boolean | undefined
}

/**
 * Prints the changes that match, one line each, page by page. The audit records a change of a key before it is made, so
 * it may have changes that were not made: a note on standard error counts those.
 */
const showChanges = async (environment: TableAccess, selection: ChangeSelection): Promise<undefined> => {
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
  // The target `pet#5` is shown as `pet 5`.
  const ofTarget = target === undefined ? '' : ` of the ${target.replace('#', ' ')}`
  const sinceTime = since === 0 ? '' : ` since ${new Date(since).toISOString()}`
  return `The audit has no matching change${ofTarget}${sinceTime}.`
}

/** Reads the changes of one target, or of all targets day by day, since a time. */
async function* readPages(
  environment: TableAccess,
  { target, since }: ChangeSelection,
): AsyncGenerator<readonly AuditedChange[]> {
  const partitions = target === undefined ? listDays(since).map((day) => ({ day })) : [{ target }]
  for (const partition of partitions) yield* readChanges(environment, partition, formatChangeTime(since))
}

/** Lists the UTC days from a time to tomorrow, which an operator whose clock is ahead may have reached. */
const listDays = (since: number): readonly string[] => {
  const firstDay = Math.floor(since / dayMilliseconds)
  const tomorrow = Math.floor(systemClock() / dayMilliseconds) + 1
  return Array.from({ length: tomorrow - firstDay + 1 }, (_, index) =>
    new Date((firstDay + index) * dayMilliseconds).toISOString().slice(0, 10),
  )
}

const isSelected = (change: AuditedChange, { match = '', source }: ChangeSelection): boolean => {
  if (source !== undefined && change.source !== source) return false
  return formatChange(change).toLowerCase().includes(match.toLowerCase())
}

/** The attributes of an API key that are times: Unix seconds, or 0 for no time. */
const timeAttributes: ReadonlySet<string> = new Set([
  'bannedUntil',
  'expiresAt',
  'meteredFrom',
  'overlapEndsAt',
  'revokedAt',
])

/**
 * Formats the values of an API key as `keys show` does: times as text, and without `gatewayKey`, the value of the key's
 * counterpart in API Gateway, which says nothing to an operator.
 */
const makeReadable = (change: AuditedChange): AuditedChange =>
  change.target.startsWith('key#')
    ? { ...change, old: change.old && formatKeyValues(change.old), new: formatKeyValues(change.new) }
    : change

const formatKeyValues = (values: Attributes): Attributes => {
  const shown = Object.entries(values).filter(([name]) => name !== 'gatewayKey')
  return Object.fromEntries(
    shown.map(([name, value]) => [name, timeAttributes.has(name) ? formatKeyTime(value) : value]),
  )
}

/** Formats Unix seconds. A value that is no number stays as it is: somebody may have edited the item. */
const formatKeyTime = (value: unknown): unknown => {
  if (value === 0) return null
  return typeof value === 'number' ? formatUnixSeconds(value) : value
}

/** Formats a change for scripts, without the attributes that serve only to find its record and to delete it in time. */
const formatAsJson = ({ keyHash: _hash, day: _day, expiresAt: _end, ...change }: AuditedChange): string =>
  formatPrintableJson({ ...change, id: readTargetId(change.target) })

/**
 * Widths of columns, in characters: `pets restore` has 12, and the id of a pet 16 until 2094. A longer value, such as
 * the id of a key, is not cut.
 */
const columnWidths = { action: 12, id: 16 }

/** Formats a change as a line for people. It begins with the id of the change, and so with the time. */
const formatChange = (change: AuditedChange): string => {
  const { changeId, target, outcome, action, who, why, source, number, inputFile } = change
  const cells = [
    changeId,
    makePrintable(action).padEnd(columnWidths.action),
    makePrintable(readTargetId(target)).padEnd(columnWidths.id),
    makePrintable(who),
    describeChange(change),
  ]
  if (source !== undefined) cells.push(`source: ${makePrintable(`${source} ${number ?? ''}`.trimEnd())}`)
  if (inputFile !== undefined) cells.push(`file: ${makePrintable(inputFile)}`)
  if (why !== undefined) cells.push(`why: ${makePrintable(why)}`)
  if (outcome !== 'made') cells.push(outcome)
  return cells.join('  ')
}
