/**
 * Estimates the bill of a month on AWS.
 *
 * The prices are AWS list prices of us-east-1 (N. Virginia), without free tier, discount or tax. Prices change and
 * differ by Region: compare them with AWS's pages before you rely on a figure. A page of AWS that does not name its
 * date is dated by the newest other publication that agrees with it. Tiers of Lambda, logs and transfers are left out:
 * no month in sight reaches them.
 */
import { type EnvironmentConfig, type environments, presets } from '../../environments.ts'
import {
  type CostLine,
  priceApiGateway,
  priceCloudWatch,
  priceFirewall,
  priceLambda,
  priceOnDemandTables,
  priceTables,
  priceTransfer,
  priceXRay,
} from './prices.ts'

/** Usage of one request. */
interface Usage {
  /** Runs of an operation's function. */
  readonly operations: number
  /** Requests that the authorizer counts, each with one write or two. */
  readonly admissions: number
  /** Write units of DynamoDB, apart from those of admissions. */
  readonly writes: number
  /** Read units of DynamoDB. */
  readonly reads: number
  readonly petsInResponse: number
  /** Responses with an error. */
  readonly errors: number
}

/** Usage by the kind of the request. */
const usages = {
  /**
   * A page of 20 pets. It is read from the index by one query or, without a status, by three. Half of the lists have a
   * status. Each query is an eventually consistent read of 3 KB.
   */
  list: { operations: 1, admissions: 1, writes: 0, reads: 1, petsInResponse: 20, errors: 0 },
  /** One strongly consistent read. */
  get: { operations: 1, admissions: 1, writes: 0, reads: 1, petsInResponse: 1, errors: 0 },
  /**
   * A write of the table and a write of its index. Half of the creations have an idempotency record: its transaction
   * takes two write units for the pet, and two for the record.
   */
  create: { operations: 1, admissions: 1, writes: 3.5, reads: 0, petsInResponse: 1, errors: 0 },
  /** A request over a limit. The authorizer tries to count it, and writes the refusal. The operation reads nothing. */
  refused: { operations: 1, admissions: 0, writes: 2, reads: 0, petsInResponse: 0, errors: 1 },
  /** A request without a well-formed key. No operation runs. */
  unauthorized: { operations: 0, admissions: 0, writes: 0, reads: 0, petsInResponse: 0, errors: 1 },
  /** A request with a key that does not exist. The authorizer tries to count the request. */
  unknown: { operations: 0, admissions: 0, writes: 1, reads: 0, petsInResponse: 0, errors: 1 },
} as const satisfies Readonly<Record<string, Usage>>

type RequestKind = keyof typeof usages

export const requestKinds = Object.keys(usages) as readonly RequestKind[]

/** Share of each kind of request. The shares add up to 1. */
export type Mix = Readonly<Partial<Record<RequestKind, number>>>

/**
 * Measured sizes in bytes. test/unit/infra/operations/cost/sizes.test.ts measures them, and logs.test.ts the line of
 * the log. No item is larger than 1 KB, which is one write unit.
 */
export const measuredBytes = {
  pet: 96,
  apiKey: 364,
  idempotencyRecord: 170,
  petInResponse: 75,
  logLine: 452,
} as const

/** Values that are assumed, and not measured on AWS. */
export const assumptions = {
  /** Pets before the month. */
  pets: 100_000,
  keys: 100,
  authorizerSeconds: 0.012,
  operationSeconds: 0.015,
  gatewayKeysSeconds: 2,
  bytesOfHeaders: 1_200,
  bytesOfError: 200,
  /** Size of stored logs as a share of the logs that were taken in: CloudWatch compresses them. */
  keptShareOfLogs: 0.15,
} as const

/** Numbers of priced things in the templates. estimate.test.ts counts them there. */
export const templateCounts = {
  /** Metrics that the alarms watch. */
  alarms: 12,
  /** Metrics made from the access log. */
  metrics: 3,
  gatewayKeysMegabytes: 256,
} as const

/** Bytes that DynamoDB adds to the size of every item when it charges for storage. */
const itemOverhead = 100

const gigabyte = 1_024 ** 3
const million = 1e6

/** A month of 730 hours, as AWS counts it. */
const month = { days: 730 / 24, minutes: 730 * 60 } as const

/** Runs of `functions/gateway-keys` in a month: one every 15 minutes. */
const gatewayKeysRuns = month.minutes / 15

/** Estimates the bill of a month of requests to an environment: its lines without those of 0 units, and their sum. */
export const estimateMonth = (
  requests: number,
  mix: Mix,
  config: EnvironmentConfig,
): { readonly lines: readonly CostLine[]; readonly dollars: number } => {
  const allLines = [
    ...listRequestLines(requests, mix, config),
    ...listTableLines(requests, mix, config),
    ...listMonitoringLines(requests, config),
    ...listNetworkLines(requests, mix, config),
  ]
  const lines = allLines.filter(({ units }) => units > 0)
  const dollars = lines.reduce((sum, line) => sum + line.dollars, 0)
  return { lines, dollars }
}

/** Sums up a usage over the requests of a month. */
const sumUsage = (requests: number, mix: Mix, name: keyof Usage): number => {
  const perRequest = requestKinds.reduce((sum, kind) => sum + (mix[kind] ?? 0) * usages[kind][name], 0)
  return requests * perRequest
}

const listRequestLines = (requests: number, mix: Mix, { memoryMegabytes }: EnvironmentConfig): readonly CostLine[] => {
  const operations = sumUsage(requests, mix, 'operations')
  const invocations = requests + operations + gatewayKeysRuns

  const requestSeconds = requests * assumptions.authorizerSeconds + operations * assumptions.operationSeconds
  const gatewayKeysSeconds = gatewayKeysRuns * assumptions.gatewayKeysSeconds
  const megabyteSeconds = requestSeconds * memoryMegabytes + gatewayKeysSeconds * templateCounts.gatewayKeysMegabytes

  const apiGatewayTiers = { 0: 3.5, 333: 2.8, 1000: 2.38, 20000: 1.51 }
  return [
    priceApiGateway('million REST API requests', requests / million, apiGatewayTiers, '2026-06'),
    priceLambda('million invocations', invocations / million, 0.2),
    priceLambda('million GB-seconds, arm64', megabyteSeconds / 1_024 / million, 13.3334),
  ]
}

const listTableLines = (requests: number, mix: Mix, { data }: EnvironmentConfig): readonly CostLine[] => {
  const admissions = sumUsage(requests, mix, 'admissions')
  const openingShare = computeOpeningShare(sumUsage(requests, mix, 'operations'))
  const writeUnits = admissions * (1 + openingShare) + sumUsage(requests, mix, 'writes')
  const readUnits = sumUsage(requests, mix, 'reads')

  // Over the month, half of its new pets exist on average. An idempotency record is kept for a day.
  const created = requests * (mix.create ?? 0)
  const pets = assumptions.pets + created / 2
  const records = created / 2 / month.days
  const petsGigabytes = (pets * (measuredBytes.pet + itemOverhead)) / gigabyte
  const keysGigabytes = (assumptions.keys * (measuredBytes.apiKey + itemOverhead)) / gigabyte
  const recordsGigabytes = (records * (measuredBytes.idempotencyRecord + itemOverhead)) / gigabyte
  const tablesGigabytes = petsGigabytes + keysGigabytes + recordsGigabytes
  // The index holds a copy of the pets.
  const storedGigabytes = tablesGigabytes + petsGigabytes

  return [
    priceOnDemandTables('million write units', writeUnits / million, 0.625),
    priceOnDemandTables('million read units', readUnits / million, 0.125),
    priceTables('GB-months in tables and indexes', storedGigabytes, 0.25, '2026-05'),
    priceOnDemandTables('GB-months of point-in-time recovery', data === 'protected' ? tablesGigabytes : 0, 0.2),
  ]
}

/**
 * Computes the share of admitted requests that open a minute, which takes a second write. If the requests of a key
 * come at random times, m requests a minute on average, a minute has a first one with probability 1 - e^-m. Requests
 * in bursts share minutes, so this is the most expensive case.
 */
const computeOpeningShare = (operations: number): number => {
  const perKeyAndMinute = operations / assumptions.keys / month.minutes
  return perKeyAndMinute === 0 ? 0 : -Math.expm1(-perKeyAndMinute) / perKeyAndMinute
}

const listMonitoringLines = (requests: number, config: EnvironmentConfig): readonly CostLine[] => {
  const { alarms, dashboard, tracing, logRetentionDays } = config
  const logGigabytes = (requests * measuredBytes.logLine) / gigabyte
  // Stored logs once the oldest have reached their retention.
  const storedLogGigabytes = (logGigabytes * assumptions.keptShareOfLogs * logRetentionDays) / month.days

  const alarmMetrics = alarms ? templateCounts.alarms : 0
  const accessLogMetrics = alarms ? templateCounts.metrics : 0

  return [
    priceCloudWatch('GB of logs taken in', logGigabytes, 0.5),
    priceCloudWatch('GB-months of logs', storedLogGigabytes, 0.03),
    priceCloudWatch('metrics of alarms', alarmMetrics, 0.1),
    // A metric is charged for the hours in which it has data. Every hour of this month has requests.
    priceCloudWatch('metrics from the access log', accessLogMetrics, 0.3),
    priceCloudWatch('dashboards', dashboard ? 1 : 0, 3),
    // Any caller can demand a trace, with `Sampled=1` in X-Amzn-Trace-Id ("Tracing header", AWS X-Ray Developer Guide).
    priceXRay('million traces recorded', tracing ? requests / million : 0, 5, '2026-01'),
  ]
}

const listNetworkLines = (requests: number, mix: Mix, config: EnvironmentConfig): readonly CostLine[] => {
  const firewalls = countFirewalls(config)
  const petBytes = sumUsage(requests, mix, 'petsInResponse') * measuredBytes.petInResponse
  const errorBytes = sumUsage(requests, mix, 'errors') * assumptions.bytesOfError
  const responseBytes = requests * assumptions.bytesOfHeaders + petBytes + errorBytes

  return [
    priceFirewall('million requests inspected', (firewalls * requests) / million, 0.6),
    priceFirewall('web access lists', firewalls, 5),
    priceFirewall('rules', firewalls, 1),
    priceTransfer('GB out to the internet', responseBytes / gigabyte, 0.09),
  ]
}

const countFirewalls = ({ requestsPerAddress }: EnvironmentConfig): number => (requestsPerAddress === undefined ? 0 : 1)

/** Lists the configurations for which a month can be estimated. `small` is production with the preset of that name. */
export const listConfigurations = ({ production, staging }: typeof environments) => ({
  production,
  small: { ...production, ...presets.small },
  staging,
})
