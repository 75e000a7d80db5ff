import { type EnvironmentConfig, type environments, presets } from '../../environments.ts'
import { firewall, gateway, lambda, onDemand, tables, transfer, watch, xray } from './prices.ts'

/**
 * What requests of each kind use. A page of 20 pets is read from the index, by one query or, without a status, by three,
 * each 3 KB of an eventually consistent read; half of the lists have a status. A get reads as of the latest write. A
 * creation writes the table and the index, and half of them a reservation. `refused` is over a limit, and reads nothing.
 * `unauthorized` has no well-formed key, `unknown` one that does not exist: no operation runs, and the authorizer logs it.
 */
const uses = {
  list: { operations: 1, admissions: 1, writes: 0, reads: 1, petsInResponse: 20, errors: 0 },
  get: { operations: 1, admissions: 1, writes: 0, reads: 1, petsInResponse: 1, errors: 0 },
  create: { operations: 1, admissions: 1, writes: 2.5, reads: 0, petsInResponse: 1, errors: 0 },
  refused: { operations: 1, admissions: 0, writes: 1, reads: 0, petsInResponse: 0, errors: 1 },
  unauthorized: { operations: 0, admissions: 0, writes: 0, reads: 0, petsInResponse: 0, errors: 1 },
  unknown: { operations: 0, admissions: 0, writes: 1, reads: 0, petsInResponse: 0, errors: 1 },
} as const

type Kind = keyof typeof uses
export const kinds = Object.keys(uses) as readonly Kind[]

/** The share of each kind; together 1. */
export type Mix = Readonly<Partial<Record<Kind, number>>>

/**
 * Measured: test/unit/infra/operations/cost/sizes.test.ts holds them, and logs.test.ts the line of the log. No item is
 * over 1 KB, which is one unit of a write.
 */
export const measuredBytes = { pet: 96, apiKey: 364, reservation: 187, petInResponse: 75, logLine: 452 } as const

/** Assumed, not measured. The log of a run that fails is its error with its stack, and the report of the run. */
export const assumptions = {
  ...{ pets: 100_000, keys: 100, authorizerSeconds: 0.012, operationSeconds: 0.015, gatewayKeysSeconds: 2 },
  ...{ bytesOfFailedRun: 1_400, bytesOfHeaders: 1_200, bytesOfError: 200, keptShareOfLogs: 0.15 },
} as const

/** What the templates have: metrics that the alarms watch, those made from the access log, the memory of gateway-keys. */
export const templateCounts = { alarms: 10, firewallAlarm: 1, metrics: 2, gatewayKeysMegabytes: 256 } as const

/** DynamoDB adds it to every item. */
const itemOverhead = 100
const gigabyte = 1_024 ** 3
const million = 1e6
/** As AWS counts a month: 730 hours. */
const month = { days: 730 / 24, minutes: 730 * 60 } as const
/** `functions/gateway-keys`, every 15 minutes. */
const gatewayKeysRuns = month.minutes / 15

/**
 * The lines of the bill of a month of requests to an environment, without those of nothing, and their sum.
 *
 * Its AWS list prices are those of us-east-1 (N. Virginia), without any free tier, discount or tax. Prices change and differ
 * by Region: compare them with AWS's pages before you rely on a figure. A page of AWS that does not name its date is dated by
 * the newest other publication that agrees with it. Tiers of Lambda, logs and transfers are so far away that none is here.
 */
export const estimateMonth = (requests: number, mix: Mix, config: EnvironmentConfig) => {
  const sum = (what: keyof (typeof uses)[Kind]): number =>
    requests * kinds.reduce((all, kind) => all + (mix[kind] ?? 0) * uses[kind][what], 0)
  const operations = sum('operations')
  // At random times, a minute of m requests of a key has a first one with probability 1 - e^-m; that one is counted by two
  // writes. Requests in bursts share minutes, so this is the most expensive case.
  const perMinute = operations / assumptions.keys / month.minutes
  const opening = perMinute === 0 ? 0 : -Math.expm1(-perMinute) / perMinute
  // On average half of the month's pets are there; a reservation is, for a day.
  const created = requests * (mix.create ?? 0)
  const pets = ((assumptions.pets + created / 2) * (measuredBytes.pet + itemOverhead)) / gigabyte
  const keys = (assumptions.keys * (measuredBytes.apiKey + itemOverhead)) / gigabyte
  const reservations = ((created / 2 / month.days) * (measuredBytes.reservation + itemOverhead)) / gigabyte
  const stored = pets + keys + reservations
  const logs = (requests * measuredBytes.logLine + (requests - operations) * assumptions.bytesOfFailedRun) / gigabyte
  const { alarms, dashboard, requestsPerAddress, tracing, data, memoryMegabytes, logRetentionDays } = config
  const serving =
    (requests * assumptions.authorizerSeconds + operations * assumptions.operationSeconds) * memoryMegabytes
  const following = gatewayKeysRuns * assumptions.gatewayKeysSeconds * templateCounts.gatewayKeysMegabytes
  const firewalls = requestsPerAddress === undefined ? 0 : 1
  const bodies = sum('petsInResponse') * measuredBytes.petInResponse + sum('errors') * assumptions.bytesOfError
  const lines = [
    gateway('million REST API requests', requests / million, { 0: 3.5, 333: 2.8, 1000: 2.38, 20000: 1.51 }, '2026-06'),
    lambda('million invocations', (requests + operations + gatewayKeysRuns) / million, 0.2),
    lambda('million GB-seconds, arm64', (serving + following) / 1_024 / million, 13.3334),
    onDemand('million write units', (sum('admissions') * (1 + opening) + sum('writes')) / million, 0.625),
    onDemand('million read units', sum('reads') / million, 0.125),
    // The index has the pets again.
    tables('GB-months in tables and indexes', stored + pets, 0.25, '2026-05'),
    onDemand('GB-months of point-in-time recovery', data === 'protected' ? stored : 0, 0.2),
    watch('GB of logs taken in', logs, 0.5),
    // As it is once logs are as old as they are kept.
    watch('GB-months of logs', (logs * assumptions.keptShareOfLogs * logRetentionDays) / month.days, 0.03),
    watch('metrics of alarms', alarms ? templateCounts.alarms + templateCounts.firewallAlarm * firewalls : 0, 0.1),
    // An hour without requests writes none.
    watch('metrics from the access log', alarms ? templateCounts.metrics : 0, 0.3),
    watch('dashboards', dashboard ? 1 : 0, 3),
    // Any caller can demand a trace, with `Sampled=1` in X-Amzn-Trace-Id ("Tracing header" in the AWS X-Ray Developer Guide).
    xray('million traces recorded', tracing ? requests / million : 0, 5, '2026-01'),
    firewall('million requests inspected', (firewalls * requests) / million, 0.6),
    firewall('web access lists', firewalls, 5),
    firewall('rules', firewalls, 1),
    transfer('GB out to the internet', (requests * assumptions.bytesOfHeaders + bodies) / gigabyte, 0.09),
  ].filter(({ units }) => units > 0)
  return { lines, dollars: lines.reduce((all, { dollars }) => all + dollars, 0) }
}

/** What a month can be asked for: `small` is production with that preset. */
export const listConfigurations = ({ production, staging }: typeof environments) => {
  return { production, small: { ...production, ...presets.small }, staging }
}
