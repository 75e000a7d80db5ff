import type { Workload } from './cost-command.ts'
import { databaseUsage, gigabyte } from './database-usage.ts'
import type { Inventory } from './inventory.ts'
import { sizes } from './item-sizes.ts'
import { type Price, type PriceName, prices } from './prices.ts'
import { month } from './workload.ts'

/** What a month uses, in the units of the prices. */
export type Usage = Readonly<Record<PriceName, number>>

/** Bytes that are assumed, not measured. */
export const assumedBytes = {
  /** A line of the access log, with what CloudWatch adds to each. */
  accessLogLine: 480,
  /**
   * What Lambda writes of an invocation that fails, such as the authorizer's that refuses a key: the error with its stack,
   * the end of the run and its report. At the level WARN it writes nothing of one that succeeds.
   */
  failedRunLog: 1_400,
  /** Status line and headers of a response. */
  responseHeaders: 1_200,
  errorBody: 200,
} as const

/** Logs are kept compressed; AWS's own examples assume this. */
const keptShare = 0.15

export const usageOf = (workload: Workload, inventory: Inventory): Usage => {
  const { requests, mix } = workload
  const { isTraced, hasAccessLog, logDays, firewallLists, functionMegabytes } = inventory
  const operations = requests * (1 - mix.unauthorized)
  const refused = requests - operations
  const database = databaseUsage(workload)
  const logged =
    ((hasAccessLog ? requests * assumedBytes.accessLogLine : 0) + refused * assumedBytes.failedRunLog) / gigabyte
  const authorizing = requests * workload.authorizerMilliseconds
  const running = operations * workload.operationMilliseconds
  return {
    gatewayRequests: requests,
    lambdaRequests: requests + operations,
    lambdaDuration: ((authorizing + running) / 1_000) * (functionMegabytes / 1_024),
    writeUnits: database.writeUnits,
    readUnits: database.readUnits,
    tableStorage: database.storage,
    recoveryStorage: inventory.hasPointInTimeRecovery ? database.recoverable : 0,
    logIngestion: logged,
    // As it is once logs are as old as they are kept.
    logStorage: (logged * keptShare * logDays) / month.days,
    alarms: inventory.alarmMetrics,
    customMetrics: inventory.customMetrics,
    dashboards: inventory.dashboards,
    // Any caller can demand a trace, with `Sampled=1` in X-Amzn-Trace-Id ("Tracing header" in the AWS X-Ray Developer Guide).
    traces: isTraced ? requests : 0,
    firewallRequests: firewallLists > 0 ? requests : 0,
    firewallLists,
    firewallRules: inventory.firewallRules,
    transferOut: (requests * responseBytes(workload)) / gigabyte,
  }
}

/** An average response: a full page of a list, one pet, or an error. */
const responseBytes = ({ mix, page }: Workload): number =>
  assumedBytes.responseHeaders +
  mix.list * (page * sizes.petInResponse + 2) +
  (mix.get + mix.create) * sizes.petInResponse +
  (mix.refused + mix.unauthorized) * assumedBytes.errorBody

/** A line of the bill. */
export interface Item {
  readonly price: Price
  readonly units: number
  readonly dollars: number
}

export type Estimate = ReturnType<typeof estimate>

/** @returns the bill, and what of it is the same without any request */
export const estimate = (usage: Usage, requests: number) => {
  // The keys of the table are just the names.
  const names = (Object.keys(prices) as PriceName[]).filter((name) => usage[name] > 0)
  const items: readonly Item[] = names.map((name) => ({
    price: prices[name],
    units: usage[name],
    dollars: charge(prices[name], usage[name]),
  }))
  const dollars = total(items)
  const fixedDollars = total(items.filter(({ price }) => price.isFixed))
  return { items, dollars, fixedDollars, dollarsPerMillion: (dollars / requests) * 1e6 }
}

/** Each tier's price for the units that fall into it. */
export const charge = ({ tiers, per }: Price, units: number): number => {
  let dollars = 0
  let below = 0
  for (const { upTo = Number.POSITIVE_INFINITY, dollars: price } of tiers) {
    dollars += (Math.max(0, Math.min(units, upTo) - below) / per) * price
    below = upTo
  }
  return dollars
}

const total = (items: readonly Item[]): number => items.reduce((all, { dollars }) => all + dollars, 0)
