import { type ApiKeyRecord, endOf } from '../../../shared/api-keys/api-key-record.ts'
import { fixedPlans, type Plan } from '../../../shared/api-keys/plans.ts'
import { type WindowName, windowAt, windowSeconds } from '../../../shared/rate-limit/windows.ts'
import { type Report, tableOf } from '../../command-line/report.ts'
import { stateOf } from './find-key.ts'
import type { keyStates } from './key-options.ts'
import type { IssuedKey } from './new-key.ts'

/** Reports a key that was just made; the only place that prints an API key. */
export const reportIssued = ({ apiKey, record }: IssuedKey, now: number): Report => ({
  json: { ...describe(record, now), apiKey },
  text: `${reportKey(record, now).text}\n\nAPI key (shown this once; keep it safe):\n${apiKey}`,
})

/** Reports a successor, and until when the key that it replaces works. */
export const reportRotated = (issued: IssuedKey, old: ApiKeyRecord, now: number): Report => {
  const until = moment(endOf(old))
  const { json, text } = reportIssued(issued, now)
  return {
    json: { ...json, predecessorEndsAt: until },
    text: `${text}\n\nThe old key ${old.keyId} works until ${until}.`,
  }
}

export const reportKey = (record: ApiKeyRecord, now: number): Report => {
  const json = describe(record, now)
  const known = Object.entries(json).filter(([, value]) => value !== null)
  const rows = known.map(([name, value]) => [
    name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`),
    `${value}`,
  ])
  return { json, text: tableOf(rows) }
}

interface KeyFilter {
  readonly owner?: string | undefined
  readonly plan?: Plan | undefined
  readonly state?: (typeof keyStates)[number] | undefined
}

export const reportList = (records: readonly ApiKeyRecord[], filter: KeyFilter, now: number): Report => {
  const keys = records.map((record) => describe(record, now)).filter((key) => matches(key, filter))
  const rows = keys.map((key) => [
    key.keyId,
    key.hasPlanLimits ? key.plan : `${key.plan}*`,
    key.bannedUntil === null || key.state !== 'active' ? key.state : 'banned',
    `${key.usedToday}/${key.perDay}`,
    key.lastUsed ?? 'never',
    // Times of this form sort as text.
    [key.expiresAt, key.overlapEndsAt].filter((end) => end !== null).toSorted()[0] ?? '-',
    key.owner,
  ])
  const table = tableOf([['ID', 'PLAN', 'STATE', 'USED TODAY', 'LAST USED', 'EXPIRES', 'OWNER'], ...rows])
  return {
    json: { keys },
    text: keys.every(({ hasPlanLimits }) => hasPlanLimits) ? table : `${table}\n\n${otherLimits}`,
  }
}

const otherLimits = '* Its limits are not those of its plan. "move" to the same plan renews them.'

const matches = (key: Description, { owner, plan, state }: KeyFilter): boolean =>
  (owner === undefined || key.owner.toLowerCase() === owner.toLowerCase()) &&
  (plan === undefined || key.plan === plan) &&
  (state === undefined || key.state === state)

type Description = ReturnType<typeof describe>

const describe = (record: ApiKeyRecord, now: number) => {
  return {
    keyId: record.keyId,
    owner: record.owner,
    contact: record.contact ?? null,
    plan: record.plan,
    scope: record.scope,
    state: stateOf(record, now),
    perMinute: record.minuteLimit,
    perDay: record.dayLimit,
    hasPlanLimits: hasPlanLimits(record),
    usedThisMinute: usedOf('minute', record, now),
    usedToday: usedOf('day', record, now),
    // To the minute: the start of the window of its last counted request.
    lastUsed: record.minuteWindow === 0 ? null : moment(record.minuteWindow * windowSeconds.minute),
    bannedUntil: record.bannedUntil * 1_000 > now ? moment(record.bannedUntil) : null,
    expiresAt: known(record.expiresAt),
    // A key that was replaced ends then, if it does not expire before.
    overlapEndsAt: known(record.overlapEndsAt),
    meteredFrom: known(record.meteredFrom),
    createdAt: moment(record.createdAt),
    predecessor: record.predecessor ?? null,
    successor: record.successor ?? null,
  }
}

/** What was counted in the current window. A move may have made the limit smaller since. */
const usedOf = (window: WindowName, record: ApiKeyRecord, now: number): number =>
  record[`${window}Window`] >= windowAt(window, now) ? record[`${window}Count`] : 0

/** Keys keep the limits that they were issued with, also when the plan changes. */
const hasPlanLimits = ({ plan, minuteLimit, dayLimit }: ApiKeyRecord): boolean =>
  plan === 'enterprise' || (minuteLimit === fixedPlans[plan].perMinute && dayLimit === fixedPlans[plan].perDay)

const known = (seconds: number | undefined): string | null => (seconds === undefined ? null : moment(seconds))

const moment = (seconds: number): string => new Date(seconds * 1_000).toISOString().replace('.000Z', 'Z')
