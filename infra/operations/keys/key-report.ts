import { type ApiKeyRecord, findKeyEnd } from '../../../shared/api-keys/api-key-record.ts'
import { computeWindowNumber, type WindowName, windowSeconds } from '../../../shared/rate-limit/windows.ts'
import { formatTable, type Report } from '../../command-line/report.ts'
import { findKeyState, type IssuedKey } from './key.ts'

/** Reports a key that was just made, and until when the key works that it replaces; the only place that prints an API key. */
export const reportIssuedKey = (now: number, { apiKey, record }: IssuedKey, replaced?: ApiKeyRecord): Report => {
  const { json, text } = reportKey(record, now)
  const predecessorEndsAt = replaced && moment(findKeyEnd(replaced))
  const old = replaced && `The old key ${replaced.keyId} works until ${predecessorEndsAt}.`
  const shown = `API key (shown this once; keep it safe):\n${apiKey}`
  return { json: { ...json, apiKey, predecessorEndsAt }, text: [text, shown, old].filter(Boolean).join('\n\n') }
}

export const reportKey = (record: ApiKeyRecord, now: number): Report => {
  const json = describe(record, now)
  const known = Object.entries(json).filter(([, value]) => value !== null)
  const words = (name: string): string => name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
  return { json, text: formatTable(known.map(([name, value]) => [words(name), `${value}`])) }
}

type Filter = { readonly [Name in 'owner' | 'plan' | 'state']?: string | undefined }

export const reportKeys = (records: readonly ApiKeyRecord[], { owner, plan, state }: Filter, now: number): Report => {
  const keys = records
    .map((record) => describe(record, now))
    .filter((key) => owner === undefined || key.owner.toLowerCase() === owner.toLowerCase())
    .filter((key) => (plan ?? key.plan) === key.plan && (state ?? key.state) === key.state)
  const rows = keys.map((key) => [
    key.keyId,
    key.plan,
    key.bannedUntil === null || key.state !== 'active' ? key.state : 'banned',
    `${key.usedToday}/${key.perDay}`,
    key.lastUsed ?? 'never',
    // Times of this form sort as text.
    [key.expiresAt, key.overlapEndsAt].filter((end) => end !== null).toSorted()[0] ?? '-',
    key.owner,
  ])
  const head = ['ID', 'PLAN', 'STATE', 'USED TODAY', 'LAST USED', 'EXPIRES', 'OWNER']
  return { json: { keys }, text: formatTable([head, ...rows]) }
}

const describe = (record: ApiKeyRecord, now: number) => ({
  keyId: record.keyId,
  owner: record.owner,
  contact: record.contact ?? null,
  plan: record.plan,
  scope: record.scope,
  state: findKeyState(record, now),
  perMinute: record.minuteLimit,
  perDay: record.dayLimit,
  usedThisMinute: usedOf('minute', record, now),
  usedToday: usedOf('day', record, now),
  // To the minute: the start of the window of its last counted request.
  lastUsed: record.minuteWindow === 0 ? null : moment(record.minuteWindow * windowSeconds.minute),
  bannedUntil: record.bannedUntil * 1_000 > now ? moment(record.bannedUntil) : null,
  expiresAt: moment(record.expiresAt),
  // A key that was replaced ends then, if it does not expire before.
  overlapEndsAt: moment(record.overlapEndsAt),
  meteredFrom: moment(record.meteredFrom),
  createdAt: moment(record.createdAt),
  predecessor: record.predecessor ?? null,
  successor: record.successor ?? null,
})

/** What was counted in the current window. A move may have made the limit smaller since. */
const usedOf = (window: WindowName, record: ApiKeyRecord, now: number): number =>
  record[`${window}Window`] >= computeWindowNumber(window, now) ? record[`${window}Count`] : 0

const moment = (seconds: number | undefined): string | null =>
  seconds === undefined ? null : new Date(seconds * 1_000).toISOString().replace('.000Z', 'Z')
