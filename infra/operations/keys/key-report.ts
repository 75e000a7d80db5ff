/** Reports about API keys. */
import {
  type ApiKeyRecord,
  findKeyEnd,
  nameKey,
  readApiKey,
  type StoredKey,
} from '../../../shared/api-keys/api-key-record.ts'
import type { MalformedItem } from '../../../shared/dynamodb/item-reader.ts'
import { computeWindowNumber, type WindowName, windowSeconds } from '../../../shared/rate-limit/windows.ts'
import { formatPrintableJson } from '../../command-line/printable.ts'
import { formatTable, type Report } from '../../command-line/report.ts'
import type { KeyList, ReplacedKey } from './administration.ts'
import { findKeyState, type IssuedKey } from './key.ts'
import { describeMalformedKey } from './malformed-key.ts'

/**
 * Reports a key that was just made. Nothing else prints an API key. `now` is in milliseconds.
 *
 * @param replaced record of the key that the new one replaces, if any
 */
export const reportIssuedKey = (now: number, { apiKey, record }: IssuedKey, replaced?: ReplacedKey): Report => {
  const { json, text } = reportKey(record, now)
  const paragraphs = [text, `API key (shown this once; keep it safe; it works if this command succeeds):\n${apiKey}`]
  if (replaced === undefined) return { json: { ...json, apiKey }, text: paragraphs.join('\n\n') }

  const predecessorEndsAt = formatTime(findKeyEnd(replaced))
  paragraphs.push(`The old key ${replaced.keyId} works until ${predecessorEndsAt}.`)
  return { json: { ...json, apiKey, predecessorEndsAt }, text: paragraphs.join('\n\n') }
}

/** Reports one key. `now` is in milliseconds. */
export const reportKey = (record: ApiKeyRecord, now: number): Report => {
  const json = describeKey(record, now)
  const presentValues = Object.entries(json).filter(([, value]) => value !== null)
  const rows = presentValues.map(([name, value]) => [splitIntoWords(name), `${value}`])
  return { json, text: formatTable(rows) }
}

/**
 * Reports a key as it is stored. A key that cannot be read is reported with the attributes of its item, as they are.
 * `now` is in milliseconds.
 */
export const reportStoredKey = (stored: StoredKey, now: number): Report => {
  const reading = readApiKey(stored)
  return reading.kind === 'read' ? reportKey(reading.value, now) : reportMalformedKey(reading)
}

const reportMalformedKey = (key: MalformedItem<StoredKey>): Report => {
  const { keyHash: _, ...attributes } = key.item
  const rows = Object.entries(attributes).map(([name, value]) => [splitIntoWords(name), formatAttribute(value)])
  return {
    json: { ...attributes, malformed: key.attribute },
    text: `${formatTable(rows)}\n\n${describeMalformedKey(key)}`,
    exitCode: 1,
  }
}

const formatAttribute = (value: unknown): string => (typeof value === 'string' ? value : formatPrintableJson(value))

/** Turns `usedToday` into `used today`. */
const splitIntoWords = (name: string): string => name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)

/** Values that listed keys must have. Owners are compared without case. */
interface KeyFilter {
  readonly owner?: string | undefined
  readonly plan?: string | undefined
  readonly state?: string | undefined
}

/**
 * Reports the keys that match a filter, one a line. Keys that cannot be read are named below them, because they may
 * match. `now` is in milliseconds.
 */
export const reportKeys = ({ keys: records, malformedKeys }: KeyList, filter: KeyFilter, now: number): Report => {
  const keys = records.map((record) => describeKey(record, now)).filter((key) => matchesFilter(key, filter))
  const head = ['ID', 'PLAN', 'STATE', 'USED TODAY', 'LAST USED', 'EXPIRES', 'OWNER']
  const rows = keys.map((key) => [
    key.keyId,
    key.plan,
    findListedState(key),
    `${key.usedToday}/${key.perDay}`,
    key.lastUsed ?? 'never',
    findEarliest(key.expiresAt, key.overlapEndsAt) ?? '-',
    key.owner,
  ])

  const malformed = malformedKeys.map(({ attribute, item }) => ({ keyId: nameKey(item), attribute }))
  const lines = [formatTable([head, ...rows]), ...malformedKeys.map(describeMalformedKey)]
  return {
    json: { keys, malformed },
    text: lines.join('\n'),
    exitCode: malformed.length === 0 ? 0 : 1,
  }
}

type DescribedKey = ReturnType<typeof describeKey>

/** Finds the state that a list shows. A ban does not change the state itself: filters find a banned key as `active`. */
const findListedState = ({ state, bannedUntil }: DescribedKey): string =>
  state === 'active' && bannedUntil !== null ? 'banned' : state

const matchesFilter = (key: DescribedKey, { owner, plan, state }: KeyFilter): boolean => {
  if (owner !== undefined && key.owner.toLowerCase() !== owner.toLowerCase()) return false
  if (plan !== undefined && key.plan !== plan) return false
  if (state !== undefined && key.state !== state) return false
  return true
}

/** Finds the earliest of the times that are present. Times in this format sort as text. */
const findEarliest = (...times: readonly (string | null)[]): string | undefined =>
  times.filter((time) => time !== null).toSorted()[0]

/** Describes a key without secrets. A missing value is `null`, so that all keys have the same properties. */
const describeKey = (record: ApiKeyRecord, now: number) => ({
  keyId: record.keyId,
  owner: record.owner,
  contact: record.contact ?? null,
  plan: record.plan,
  scope: record.scope,
  state: findKeyState(record, now),
  perMinute: record.minuteLimit,
  perDay: record.dayLimit,
  usedThisMinute: countUsed('minute', record, now),
  usedToday: countUsed('day', record, now),
  // The record keeps the window of the last counted request, so this is the start of a minute.
  lastUsed: record.minuteWindow === 0 ? null : formatTime(record.minuteWindow * windowSeconds.minute),
  bannedUntil: record.bannedUntil * 1_000 > now ? formatTime(record.bannedUntil) : null,
  expiresAt: formatOptionalTime(record.expiresAt),
  // A replaced key ends at overlapEndsAt or at expiresAt, whichever comes first.
  overlapEndsAt: formatOptionalTime(record.overlapEndsAt),
  meteredFrom: formatOptionalTime(record.meteredFrom),
  createdAt: formatTime(record.createdAt),
  predecessor: record.predecessor ?? null,
  successor: record.successor ?? null,
})

/**
 * Counts the requests in the current window. The count may exceed the limit, because the key may since have moved to a
 * plan with a lower limit.
 */
const countUsed = (window: WindowName, record: ApiKeyRecord, now: number): number => {
  // A counted window ahead of this clock is the current one: the clock of the service is a little ahead.
  const isCurrent = record[`${window}Window`] >= computeWindowNumber(window, now)
  return isCurrent ? record[`${window}Count`] : 0
}

/** Formats Unix seconds, for example as `2026-11-02T12:00:00Z`. */
const formatTime = (seconds: number): string => new Date(seconds * 1_000).toISOString().replace('.000Z', 'Z')

const formatOptionalTime = (seconds: number | undefined): string | null =>
  seconds === undefined ? null : formatTime(seconds)
