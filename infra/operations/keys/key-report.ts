import type { ApiKeyRecord } from '../../../shared/api-keys/api-key-record.ts'
import { quotaStatusOf } from '../../../shared/rate-limit/windows.ts'
import { printable, printableJson } from '../../command-line/printable.ts'
import { UserError } from '../../command-line/user-error.ts'
import type { IssuedKey } from './issuing.ts'
import type { ListedKey } from './key-table.ts'

/** What the command prints: an object for scripts, lines for people. */
export interface Report {
  readonly json: Readonly<Record<string, unknown>>
  readonly text: string
}

/** Reports a key that was just made; the only place that prints an API key. */
export const reportIssued = ({ apiKey, record }: IssuedKey, now: number): Report => ({
  json: { ...describe(record, now), apiKey },
  text: `${reportKey(record, now).text}\n\nAPI key (shown this once; keep it safe):\n${apiKey}`,
})

export const reportKey = (record: ApiKeyRecord, now: number): Report => {
  const json = describe(record, now)
  const lines = Object.entries(json).flatMap(([name, value]) =>
    value === null ? [] : [`${labels[name] ?? name}`.padEnd(14) + printable(String(value))],
  )
  return { json, text: lines.join('\n') }
}

export const reportList = (keys: readonly ListedKey[], now: number): Report => {
  const rows = keys.map((key) => [
    key.keyId,
    key.plan,
    stateOf(key, now),
    `${key.minuteLimit}/min`,
    `${key.dayLimit}/day`,
    moment(key.createdAt),
    printable(key.owner),
  ])
  const table = [['ID', 'PLAN', 'STATE', 'PER MINUTE', 'PER DAY', 'CREATED', 'OWNER'], ...rows]
  const widths = table[0]?.map((_cell, column) => Math.max(...table.map((row) => (row[column] ?? '').length))) ?? []
  const text = table.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  )
  return {
    json: {
      keys: keys.map((key) => ({
        keyId: key.keyId,
        owner: key.owner,
        plan: key.plan,
        state: stateOf(key, now),
        perMinute: key.minuteLimit,
        perDay: key.dayLimit,
        createdAt: moment(key.createdAt),
      })),
    },
    text: text.join('\n'),
  }
}

const describe = (record: ApiKeyRecord, now: number) => {
  const { minute, day } = quotaStatusOf(record, now)
  return {
    keyId: record.keyId,
    owner: record.owner,
    plan: record.plan,
    state: stateOf(record, now),
    perMinute: record.minuteLimit,
    perDay: record.dayLimit,
    usedThisMinute: minute.limit - minute.remaining,
    usedToday: day.limit - day.remaining,
    bannedUntil: record.bannedUntil * 1_000 > now ? moment(record.bannedUntil) : null,
    expiresAt: record.expiresAt === undefined ? null : moment(record.expiresAt),
    createdAt: moment(record.createdAt),
  }
}

const labels: Readonly<Record<string, string>> = {
  keyId: 'id',
  perMinute: 'per minute',
  perDay: 'per day',
  usedThisMinute: 'used (minute)',
  usedToday: 'used (day)',
  bannedUntil: 'banned until',
  expiresAt: 'expires',
  createdAt: 'created',
}

const stateOf = (key: { readonly state: string; readonly expiresAt?: number | undefined }, now: number): string =>
  key.state === 'active' && key.expiresAt !== undefined && key.expiresAt * 1_000 <= now ? 'expired' : key.state

const moment = (seconds: number): string => new Date(seconds * 1_000).toISOString().replace('.000Z', 'Z')

/**
 * Prints what a command found or did, and waits until it is written: a key is shown once.
 *
 * @throws UserError when nothing reads the output any more
 */
export const printReport = ({ json, text }: Report, asJson: boolean): Promise<void> =>
  new Promise((resolve, reject) => {
    const fail = (error: Error): void =>
      reject(new UserError(`The output could not be written (${error.message}).`, { cause: error }))
    process.stdout.once('error', fail)
    process.stdout.write(`${asJson ? printableJson(json) : text}\n`, (error) => {
      if (error) return fail(error)
      process.stdout.off('error', fail)
      resolve()
    })
  })
