import { type EnvironmentConfig, environments, presets } from '../../environments.ts'
import { charge, type PriceName, prices, type Usage } from './prices.ts'

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

export type Kind = keyof typeof uses
export const kinds = Object.keys(uses) as readonly Kind[]

/** The share of each kind; together 1. */
export type Mix = Readonly<Partial<Record<Kind, number>>>

/**
 * Measured: test/unit/infra/operations/cost/sizes.test.ts holds them, and logs.test.ts the line of the log. No item is
 * over 1 KB, which is one unit of a write.
 */
export const bytes = { pet: 96, apiKey: 385, reservation: 187, petInResponse: 75, logLine: 452 } as const

/** Assumed, not measured. The log of a run that fails is its error with its stack, and the report of the run. */
export const assumed = {
  ...{ pets: 100_000, keys: 100, authorizerSeconds: 0.012, operationSeconds: 0.015, gatewayKeysSeconds: 2 },
  ...{ bytesOfFailedRun: 1_400, bytesOfHeaders: 1_200, bytesOfError: 200 },
  keptShareOfLogs: 0.15,
} as const

/** What the templates have: metrics that the alarms watch, those made from the access log, the memory of gateway-keys. */
export const counted = { alarms: 10, firewallAlarm: 1, metrics: 2, gatewayKeysMegabytes: 256 } as const

/** DynamoDB adds it to every item. */
const itemOverhead = 100
const gigabyte = 1_024 ** 3
/** As AWS counts a month: 730 hours. */
const month = { days: 730 / 24, minutes: 730 * 60 } as const
/** `functions/gateway-keys`, every 15 minutes. */
const gatewayKeysRuns = month.minutes / 15

/** What a month of requests to an environment uses, in the units of the prices. */
export const usageOf = (requests: number, mix: Mix, config: EnvironmentConfig): Usage => {
  const sum = (what: keyof (typeof uses)[Kind]): number =>
    requests * kinds.reduce((all, kind) => all + (mix[kind] ?? 0) * uses[kind][what], 0)
  const operations = sum('operations')
  // At random times, a minute of m requests of a key has a first one with probability 1 - e^-m; that one is counted by two
  // writes. Requests in bursts share minutes, so this is the most expensive case.
  const perMinute = operations / assumed.keys / month.minutes
  const opening = perMinute === 0 ? 0 : -Math.expm1(-perMinute) / perMinute
  // On average half of the month's pets are there; a reservation is, for a day.
  const created = requests * (mix.create ?? 0)
  const pets = ((assumed.pets + created / 2) * (bytes.pet + itemOverhead)) / gigabyte
  const keys = (assumed.keys * (bytes.apiKey + itemOverhead)) / gigabyte
  const reservations = ((created / 2 / month.days) * (bytes.reservation + itemOverhead)) / gigabyte
  const failedRuns = requests - operations
  const logs = (requests * bytes.logLine + failedRuns * assumed.bytesOfFailedRun) / gigabyte
  const responses = requests * assumed.bytesOfHeaders + sum('petsInResponse') * bytes.petInResponse
  const { alarms, dashboard, requestsPerAddress, tracing, data, memoryMegabytes, logRetentionDays } = config
  const serving = (requests * assumed.authorizerSeconds + operations * assumed.operationSeconds) * memoryMegabytes
  const following = gatewayKeysRuns * assumed.gatewayKeysSeconds * counted.gatewayKeysMegabytes
  const ifFirewall = requestsPerAddress === undefined ? 0 : 1
  return {
    gatewayRequests: requests,
    lambdaRequests: requests + operations + gatewayKeysRuns,
    lambdaDuration: (serving + following) / 1_024,
    writeUnits: sum('admissions') * (1 + opening) + sum('writes'),
    readUnits: sum('reads'),
    // The index has the pets again.
    storage: pets + keys + reservations + pets,
    recovery: data === 'protected' ? pets + keys + reservations : 0,
    logsTakenIn: logs,
    // As it is once logs are as old as they are kept.
    logsKept: (logs * assumed.keptShareOfLogs * logRetentionDays) / month.days,
    alarms: alarms ? counted.alarms + counted.firewallAlarm * ifFirewall : 0,
    metrics: alarms ? counted.metrics : 0,
    dashboards: dashboard ? 1 : 0,
    // Any caller can demand a trace, with `Sampled=1` in X-Amzn-Trace-Id ("Tracing header" in the AWS X-Ray Developer Guide).
    traces: tracing ? requests : 0,
    firewallRequests: requests * ifFirewall,
    firewallLists: ifFirewall,
    firewallRules: ifFirewall,
    transferOut: (responses + sum('errors') * assumed.bytesOfError) / gigabyte,
  }
}

/** What a month can be asked for: `small` is production with that preset. */
export const setUpsOf = ({ production, staging }: typeof environments) => ({
  production,
  small: { ...production, ...presets.small },
  staging,
})

export const setUps = setUpsOf(environments)
export type SetUp = keyof typeof setUps

/** The lines of the bill, without those of nothing, and their sum. */
export const estimate = (requests: number, mix: Mix, config: EnvironmentConfig) => {
  const usage = usageOf(requests, mix, config)
  const lines = (Object.keys(prices) as readonly PriceName[])
    .filter((name) => usage[name] > 0)
    .map((name) => ({ ...prices[name], units: usage[name], dollars: charge(prices[name], usage[name]) }))
  return { lines, dollars: lines.reduce((sum, line) => sum + line.dollars, 0) }
}
