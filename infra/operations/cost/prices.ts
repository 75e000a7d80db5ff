/** Up to how many units of a month a price goes; without `upTo`, all the rest. */
export interface Tier {
  readonly upTo?: number
  /** US dollars for `per` units. */
  readonly dollars: number
}

export interface Price {
  readonly service: string
  readonly what: string
  readonly unit: string
  readonly per: number
  readonly tiers: readonly Tier[]
  /** Whether it is charged in a month without any request. */
  readonly isFixed: boolean
  /** The page on which AWS publishes it. */
  readonly source: `https://${'aws' | 'docs.aws'}.amazon.com/${string}`
  /** The month as of which it was read there; `unverified` where it was not. */
  readonly asOf: `20${number}-${number}` | 'unverified'
}

type Amount = number | readonly Tier[]

const unverified = 'unverified'
const million = 1_000_000

const pageOf = (path: string): Price['source'] => `https://aws.amazon.com/${path}/`

/** Prices of one service, on one page. */
const on =
  (service: string, source: Price['source']) =>
  (what: string, amount: Amount, unit: string, asOf: Price['asOf'], more: Partial<Price> = {}): Price => ({
    ...{ service, source, what, unit, asOf, per: 1, isFixed: false },
    tiers: typeof amount === 'number' ? [{ dollars: amount }] : amount,
    ...more,
  })

const gateway = on(
  'API Gateway',
  'https://docs.aws.amazon.com/whitepapers/latest/best-practices-api-gateway-private-apis-integration/cost-optimization.html',
)
const lambda = on('Lambda', pageOf('lambda/pricing'))
const onDemand = on('DynamoDB', pageOf('dynamodb/pricing/on-demand'))
const stored = on('DynamoDB', pageOf('dynamodb/pricing'))
const watch = on('CloudWatch', pageOf('cloudwatch/pricing'))
const firewall = on('WAF', pageOf('waf/pricing'))
const perMillion = { per: million } as const
const fixed = { isFixed: true } as const

/**
 * AWS list prices of us-east-1 (N. Virginia), without any free tier, discount or tax. Prices change and differ by
 * Region: compare them with AWS's pages before you rely on a figure. A page of AWS that does not name its
 * date is dated by the newest other publication that agrees with it.
 */
export const prices = {
  gatewayRequests: gateway(
    'REST API requests',
    [
      { upTo: 333e6, dollars: 3.5 },
      { upTo: 1_000e6, dollars: 2.8 },
      { upTo: 20_000e6, dollars: 2.38 },
      { dollars: 1.51 },
    ],
    'requests',
    '2026-06',
    perMillion,
  ),
  lambdaRequests: lambda('invocations', 0.2, 'invocations', unverified, perMillion),
  lambdaDuration: lambda(
    'duration, arm64',
    [{ upTo: 7.5e9, dollars: 0.0000133334 }, { upTo: 18.75e9, dollars: 0.0000120001 }, { dollars: 0.0000106667 }],
    'GB-seconds',
    unverified,
  ),
  writeUnits: onDemand('write request units, on demand', 0.625, 'units', unverified, perMillion),
  readUnits: onDemand('read request units, on demand', 0.125, 'units', unverified, perMillion),
  tableStorage: stored('storage, tables and indexes', 0.25, 'GB-months', '2026-05'),
  recoveryStorage: onDemand('point-in-time recovery', 0.2, 'GB-months', unverified),
  // Further tiers, from 10 TB a month, are cheaper; nothing here comes near.
  logIngestion: watch('logs taken in', 0.5, 'GB', unverified),
  logStorage: watch('logs kept', 0.03, 'GB-months', unverified),
  alarms: watch('alarms, by their metrics', 0.1, 'metrics', unverified, fixed),
  // Not fixed: an hour without requests writes none.
  customMetrics: watch(
    'metrics from the access log',
    [{ upTo: 10_000, dollars: 0.3 }, { dollars: 0.1 }],
    'metrics',
    unverified,
  ),
  dashboards: watch('dashboards', 3, 'dashboards', unverified, fixed),
  traces: on('X-Ray', pageOf('xray/pricing'))('traces recorded', 5, 'traces', '2026-01', perMillion),
  firewallRequests: firewall('requests inspected', 0.6, 'requests', unverified, perMillion),
  firewallLists: firewall('web access lists', 5, 'lists', unverified, fixed),
  firewallRules: firewall('rules', 1, 'rules', unverified, fixed),
  transferOut: on('Data transfer', pageOf('ec2/pricing/on-demand'))(
    'out to the internet',
    [{ upTo: 10_240, dollars: 0.09 }, { upTo: 51_200, dollars: 0.085 }, { dollars: 0.07 }],
    'GB',
    unverified,
  ),
} as const satisfies Record<string, Price>

export type PriceName = keyof typeof prices
