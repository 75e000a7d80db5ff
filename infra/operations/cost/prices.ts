export interface Price {
  readonly service: string
  readonly what: string
  /** US dollars for so many units. */
  readonly per: number
  /** Each up to a number of units in a month. */
  readonly tiers: readonly (readonly [upTo: number, dollars: number])[]
  /** The page on which AWS publishes it. */
  readonly source: `https://${'aws' | 'docs.aws'}.amazon.com/${string}`
  /** The month as of which it was read there; `unverified` where it was not. */
  readonly asOf: `20${number}-${number}` | 'unverified'
}

/** Prices of one service, on one page. */
const on =
  (service: string, page: string) =>
  (what: string, dollars: number | Price['tiers'], asOf: Price['asOf'] = 'unverified', per = 1): Price => {
    const tiers = typeof dollars === 'number' ? [[all, dollars] as const] : dollars
    return { service, what, per, tiers, source: `https://${page}`, asOf } as Price
  }

const all = Number.POSITIVE_INFINITY
const million = 1e6
const unverified = 'unverified'

const gateway = on(
  'API Gateway',
  'docs.aws.amazon.com/whitepapers/latest/best-practices-api-gateway-private-apis-integration/cost-optimization.html',
)
const lambda = on('Lambda', 'aws.amazon.com/lambda/pricing/')
const onDemand = on('DynamoDB', 'aws.amazon.com/dynamodb/pricing/on-demand/')
const stored = on('DynamoDB', 'aws.amazon.com/dynamodb/pricing/')
const watch = on('CloudWatch', 'aws.amazon.com/cloudwatch/pricing/')
const firewall = on('WAF', 'aws.amazon.com/waf/pricing/')

/**
 * AWS list prices of us-east-1 (N. Virginia), without any free tier, discount or tax. Prices change and differ by
 * Region: compare them with AWS's pages before you rely on a figure. A page of AWS that does not name its
 * date is dated by the newest other publication that agrees with it.
 */
export const prices = {
  gatewayRequests: gateway(
    'REST API requests',
    [
      [333e6, 3.5],
      [1e9, 2.8],
      [20e9, 2.38],
      [all, 1.51],
    ],
    '2026-06',
    million,
  ),
  lambdaRequests: lambda('invocations', 0.2, unverified, million),
  lambdaDuration: lambda('GB-seconds, arm64', [
    [7.5e9, 0.0000133334],
    [18.75e9, 0.0000120001],
    [all, 0.0000106667],
  ]),
  writeUnits: onDemand('write request units, on demand', 0.625, unverified, million),
  readUnits: onDemand('read request units, on demand', 0.125, unverified, million),
  storage: stored('GB-months in tables and indexes', 0.25, '2026-05'),
  recovery: onDemand('GB-months of point-in-time recovery', 0.2),
  // Further tiers, from 10 TB a month, are cheaper; nothing here comes near.
  logsTakenIn: watch('GB of logs taken in', 0.5),
  logsKept: watch('GB-months of logs', 0.03),
  alarms: watch('metrics of alarms', 0.1),
  // An hour without requests writes none.
  metrics: watch('metrics from the access log', 0.3),
  dashboards: watch('dashboards', 3),
  traces: on('X-Ray', 'aws.amazon.com/xray/pricing/')('traces recorded', 5, '2026-01', million),
  firewallRequests: firewall('requests inspected', 0.6, unverified, million),
  firewallLists: firewall('web access lists', 5),
  firewallRules: firewall('rules', 1),
  transferOut: on('Data transfer', 'aws.amazon.com/ec2/pricing/on-demand/')('GB out to the internet', [
    [10_240, 0.09],
    [51_200, 0.085],
    [all, 0.07],
  ]),
} as const satisfies Record<string, Price>

export type PriceName = keyof typeof prices

/** Of a month, in the units of the prices. */
export type Usage = Readonly<Record<PriceName, number>>

/** Each tier's price for the units that fall into it. */
export const charge = ({ tiers, per }: Price, units: number): number => {
  const unitsIn = (tier: number): number =>
    Math.max(0, Math.min(units, tiers[tier]?.[0] ?? 0) - (tiers[tier - 1]?.[0] ?? 0))
  return tiers.reduce((dollars, [, price], tier) => dollars + (unitsIn(tier) / per) * price, 0)
}
