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
import { findKeyState, type IssuedKey, keyStates } from './key.ts'
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
  const { earlierSuccessor } = replaced
  if (earlierSuccessor === undefined) {
    return { json: { ...json, apiKey, predecessorEndsAt }, text: paragraphs.join('\n\n') }
  }

  const { keyId, state } = earlierSuccessor
  paragraphs.push(`Its earlier successor ${keyId} (${state}) stays as it is. "revoke ${keyId}" ends it.`)
  return {
    json: { ...json, apiKey, predecessorEndsAt, earlierSuccessor: keyId },
    text: paragraphs.join('\n\n'),
  }
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

/** Conditions that listed keys must meet. */
export interface KeyFilter {
  /** Text that the owner contains, in any case. */
  readonly owner?: string | undefined
  readonly plan?: string | undefined
  readonly state?: ListedState | undefined
  /** Keys that still work, and end within these days. */
  readonly expiresWithin?: number | undefined
  /** Keys without a request since this time (Unix seconds), which are older than that. */
  readonly unusedSince?: number | undefined
}

/**
 * Reports the keys that match a filter, one a line. Keys that cannot be read are named below them, because they may
 * match. `now` is in milliseconds.
 */
export const reportKeys = ({ keys: records, malformedKeys }: KeyList, filter: KeyFilter, now: number): Report => {
  const matchingRecords = records.filter((record) => matchesFilter(record, filter, now))
  const keys = matchingRecords.map((record) => describeKey(record, now))
  const head = ['ID', 'PLAN', 'STATE', 'USED TODAY', 'LAST USED', 'END', 'OWNER']
  const rows = keys.map((key) => [
    key.keyId,
    key.plan,
    findListedState(key),
    `${key.usedToday}/${key.perDay}`,
    key.lastUsed ?? 'never',
    key.revokedAt ?? findEarliest(key.expiresAt, key.overlapEndsAt) ?? '-',
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

/** States that a list shows. A key that is `banned` or `replaced` is `active` too. */
export const listedStates = [...keyStates, 'banned', 'replaced'] as const

type ListedState = (typeof listedStates)[number]

/** Finds the state that a list shows: the one that says most about an active key. */
const findListedState = ({ state, bannedUntil, successor }: DescribedKey): ListedState => {
  if (state !== 'active') return state
  if (bannedUntil !== null) return 'banned'
  return successor === null ? 'active' : 'replaced'
}

const matchesFilter = (record: ApiKeyRecord, filter: KeyFilter, now: number): boolean => {
  const { owner = '', plan, state, expiresWithin, unusedSince } = filter
  if (!record.owner.toLowerCase().includes(owner.toLowerCase())) return false
  if (plan !== undefined && record.plan !== plan) return false
  if (state !== undefined && !hasState(record, state, now)) return false
  if (expiresWithin !== undefined && !endsWithin(record, expiresWithin, now)) return false
  return unusedSince === undefined || isUnusedSince(record, unusedSince)
}

const hasState = (record: ApiKeyRecord, state: ListedState, now: number): boolean => {
  const currentState = findKeyState(record, now)
  switch (state) {
    case 'banned':
      return currentState === 'active' && record.bannedUntil * 1_000 > now
    case 'replaced':
      return currentState === 'active' && record.successor !== undefined
    default:
      return currentState === state
  }
}

const endsWithin = (record: ApiKeyRecord, days: number, now: number): boolean =>
  findKeyState(record, now) === 'active' && findKeyEnd(record) <= now / 1_000 + days * windowSeconds.day

const isUnusedSince = (record: ApiKeyRecord, time: number): boolean =>
  record.createdAt < time && findLastUse(record) < time

/** Finds the minute of the last counted request, in Unix seconds; 0 for a key that was never used. */
const findLastUse = ({ minuteWindow }: ApiKeyRecord): number => minuteWindow * windowSeconds.minute

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
  lastUsed: record.minuteWindow === 0 ? null : formatTime(findLastUse(record)),
  bannedUntil: record.bannedUntil * 1_000 > now ? formatTime(record.bannedUntil) : null,
  expiresAt: formatOptionalTime(record.expiresAt),
  // A replaced key ends at overlapEndsAt or at expiresAt, whichever comes first.
  overlapEndsAt: formatOptionalTime(record.overlapEndsAt),
  revokedAt: formatOptionalTime(record.revokedAt),
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
  const isCurrent = record[`${window}Window`] >= computeWindowNumber(window, now / 1_000)
  return isCurrent ? record[`${window}Count`] : 0
}

/** Formats Unix seconds, for example as `2026-11-02T12:00:00Z`. */
const formatTime = (seconds: number): string => new Date(seconds * 1_000).toISOString().replace('.000Z', 'Z')

const formatOptionalTime = (seconds: number | undefined): string | null =>
  seconds === undefined ? null : formatTime(seconds)
