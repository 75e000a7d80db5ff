/** Reports about API keys. All times are Unix seconds. */
import {
  type ApiKeyRecord,
  findKeyEnd,
  isUsable,
  nameKey,
  readApiKey,
  type StoredKey,
} from '../../../shared/api-keys/api-key-record.ts'
import { computeWindowNumber, type WindowName, windowSeconds } from '../../../shared/rate-limit/windows.ts'
import { formatProperties, formatTable, type Report } from '../../command-line/report.ts'
import { exitCodes } from '../../command-line/user-error.ts'
import { formatUnixSeconds, formatUtcMinute } from '../../command-line/utc-time.ts'
import { describeMalformedKey, findKeyState, type KeyList, keyStates } from './find-key.ts'
import type { IssuedKey, Rotation } from './issue-key.ts'

/** Reports a key that was just issued. No other report has the API key itself. */
export const reportIssuedKey = ({ apiKey, record }: IssuedKey, nowSeconds: number): Report => {
  const { json, text } = reportKey(record, nowSeconds)
  return { json: { ...json, apiKey }, text: `${text}\n\nAPI key (shown this once; keep it safe):\n${apiKey}` }
}

/** Reports a key that replaces another one. */
export const reportRotation = (rotation: Rotation, nowSeconds: number): Report => {
  const { replacedId, replacedEndsAt, earlierSuccessor } = rotation
  const { json, text } = reportIssuedKey(rotation, nowSeconds)
  const predecessorEndsAt = formatUnixSeconds(replacedEndsAt)
  const sentences = [`The old key ${replacedId} works until ${predecessorEndsAt}.`]
  if (earlierSuccessor !== undefined) {
    sentences.push(`It had the successor ${earlierSuccessor} already: "show" says whether that one is used.`)
  }
  return { json: { ...json, predecessorEndsAt }, text: `${text}\n\n${sentences.join('\n')}` }
}

/** Reports one key. */
export const reportKey = (record: ApiKeyRecord, nowSeconds: number): Report => {
  const json = describeKey(record, nowSeconds)
  return { json, text: formatProperties(json) }
}

/** Reports a changed key as it is stored now. Of a key that cannot be read, only id and state are known. */
export const reportStoredKey = (stored: StoredKey, nowSeconds: number): Report => {
  const reading = readApiKey(stored)
  if (reading.kind === 'read') return reportKey(reading.value, nowSeconds)
  const keyId = nameKey(stored)
  const state = stored['state'] ?? null
  return { json: { keyId, state }, text: formatProperties({ keyId, state }) }
}

/** Conditions that listed keys must meet. */
export interface KeyFilter {
  /** Text that the owner contains, in any case. */
  readonly owner?: string | undefined
  readonly state?: ListedState | undefined
  /** Number of days within which the key ends, if it still works. */
  readonly expiresWithin?: number | undefined
}

/**
 * Reports the keys that match a filter, one a line. Keys that cannot be read follow, because they may match too.
 */
export const reportKeys = (
  { keys: records, malformedKeys }: KeyList,
  filter: KeyFilter,
  nowSeconds: number,
): Report => {
  const matchingRecords = records.filter((record) => matchesFilter(record, filter, nowSeconds))
  const keys = matchingRecords.map((record) => describeKey(record, nowSeconds))
  const header = ['ID', 'PLAN', 'STATE', 'USED TODAY', 'LAST USED', 'END', 'OWNER']
  const rows = keys.map((key) => [
    key.keyId,
    key.plan,
    key.state,
    `${key.usedToday}/${key.perDay}`,
    key.lastUsedInMinute ?? 'never',
    key.revokedAt ?? findEarliest(key.expiresAt, key.overlapEndsAt) ?? '-',
    key.owner,
  ])

  const malformed = malformedKeys.map(({ attribute, item }) => ({ keyId: nameKey(item), attribute }))
  const table = rows.length === 0 ? 'No API key matches.' : formatTable([header, ...rows])
  const lines = [table, ...malformedKeys.map(describeMalformedKey)]
  return {
    json: { keys, malformed },
    text: lines.join('\n'),
    exitCode: malformed.length === 0 ? exitCodes.done : exitCodes.failure,
  }
}

/**
 * States that reports show. A key that is `banned` or `replaced` works or will work again, and so does an `unused
 * successor`: a key that replaces another one and has never been used, for example because a rotation was repeated.
 */
export const listedStates = [...keyStates, 'banned', 'replaced', 'unused successor'] as const

type ListedState = (typeof listedStates)[number]

/** Finds the state that reports show. Of several states of an active key, it is the first one below. */
const findListedState = (record: ApiKeyRecord, nowSeconds: number): ListedState => {
  const state = findKeyState(record, nowSeconds)
  if (state !== 'active') return state
  if (record.bannedUntil > nowSeconds) return 'banned'
  if (record.successor !== undefined) return 'replaced'
  return record.predecessor !== undefined && findLastUse(record) === undefined ? 'unused successor' : 'active'
}

const matchesFilter = (record: ApiKeyRecord, filter: KeyFilter, nowSeconds: number): boolean => {
  const { owner = '', state, expiresWithin } = filter
  if (!record.owner.toLowerCase().includes(owner.toLowerCase())) return false
  if (state !== undefined && findListedState(record, nowSeconds) !== state) return false
  return expiresWithin === undefined || endsWithin(record, expiresWithin, nowSeconds)
}

const endsWithin = (record: ApiKeyRecord, days: number, nowSeconds: number): boolean =>
  isUsable(record, nowSeconds) && findKeyEnd(record) <= nowSeconds + days * windowSeconds.day

/** Finds the minute of the last counted request; undefined for a key that was never used. */
const findLastUse = ({ minuteWindow }: ApiKeyRecord): number | undefined =>
  minuteWindow === 0 ? undefined : minuteWindow * windowSeconds.minute

/** Finds the earliest of the times that are present. Times in this format sort as text. */
const findEarliest = (...times: readonly (string | null)[]): string | undefined =>
  times.filter((time) => time !== null).toSorted()[0]

/** Describes a key without secrets. A missing value is `null`, so that all keys have the same properties. */
const describeKey = (record: ApiKeyRecord, nowSeconds: number) => ({
  keyId: record.keyId,
  owner: record.owner,
  contact: record.contact ?? null,
  plan: record.plan,
  scope: record.scope,
  state: findListedState(record, nowSeconds),
  perMinute: record.minuteLimit,
  perDay: record.dayLimit,
  usedThisMinute: countUsed('minute', record, nowSeconds),
  usedToday: countUsed('day', record, nowSeconds),
  lastUsedInMinute: formatOptionalTime(findLastUse(record), formatUtcMinute),
  refusedAt: formatOptionalTime(record.refusedAt),
  bannedUntil: record.bannedUntil > nowSeconds ? formatUnixSeconds(record.bannedUntil) : null,
  expiresAt: formatOptionalTime(record.expiresAt),
  // A replaced key ends at overlapEndsAt or at expiresAt, whichever comes first.
  overlapEndsAt: formatOptionalTime(record.overlapEndsAt),
  revokedAt: formatOptionalTime(record.revokedAt),
  meteredFrom: formatOptionalTime(record.meteredFrom),
  createdAt: formatUnixSeconds(record.createdAt),
  predecessor: record.predecessor ?? null,
  successor: record.successor ?? null,
})

/**
 * Counts the requests in the current window. The count may exceed the limit, if the key has moved to a plan with a
 * lower limit.
 */
const countUsed = (window: WindowName, record: ApiKeyRecord, nowSeconds: number): number => {
  // A window ahead of the clock of this machine is current too: the clock of the service may be a little ahead.
  const isCurrent = record[`${window}Window`] >= computeWindowNumber(window, nowSeconds)
  return isCurrent ? record[`${window}Count`] : 0
}

const formatOptionalTime = (seconds: number | undefined, format = formatUnixSeconds): string | null =>
  seconds === undefined ? null : format(seconds)
