/** Up to how many units of a month a price goes; without `upTo`, all the rest. */
export interface Tier {
  readonly upTo?: number
  /** US dollars for `per` units. */
  readonly dollars: number
}

export interface Price {
  readonly service: string
  readonly what: string
  /** What is counted. */
  readonly unit: string
  readonly per: number
  readonly tiers: readonly Tier[]
  /** The month as of which this price is known. */
  readonly asOf: string
  /** Where it was read. `unverified`: known, but found on no page at that time. */
  readonly source: string
}

/**
 * AWS list prices of us-east-1 (N. Virginia), without any free tier, discount or tax. Prices change and differ by
 * Region: compare them with AWS's pages before you rely on a figure. A page of AWS that does not name its
 * date is dated by the newest other page that agrees with it.
 */
export const prices = {
  gatewayRequests: {
    service: 'API Gateway',
    what: 'REST API requests',
    unit: 'requests',
    per: 1_000_000,
    tiers: [
      { upTo: 333e6, dollars: 3.5 },
      { upTo: 1_000e6, dollars: 2.8 },
      { upTo: 20_000e6, dollars: 2.38 },
      { dollars: 1.51 },
    ],
    asOf: '2026-06',
    source: 'AWS whitepaper "Best Practices for Designing Amazon API Gateway Private APIs", cost optimization, table 4',
  },
  lambdaRequests: {
    service: 'Lambda',
    what: 'invocations',
    unit: 'invocations',
    per: 1_000_000,
    tiers: [{ dollars: 0.2 }],
    asOf: '2024-12',
    source: 'cloudchipr.com "AWS Lambda Pricing Breakdown", of aws.amazon.com/lambda/pricing',
  },
  lambdaDuration: {
    service: 'Lambda',
    what: 'duration, arm64',
    unit: 'GB-seconds',
    per: 1,
    tiers: [
      { upTo: 7.5e9, dollars: 0.0000133334 },
      { upTo: 18.75e9, dollars: 0.0000120001 },
      { dollars: 0.0000106667 },
    ],
    asOf: '2024-12',
    source: 'cloudchipr.com "AWS Lambda Pricing Breakdown", of aws.amazon.com/lambda/pricing; third tier unverified',
  },
  writeUnits: {
    service: 'DynamoDB',
    what: 'write request units, on demand',
    unit: 'units',
    per: 1_000_000,
    tiers: [{ dollars: 0.625 }],
    asOf: '2025-07',
    source: 'airbyte.com "Amazon DynamoDB Pricing", after the reduction of November 2024',
  },
  readUnits: {
    service: 'DynamoDB',
    what: 'read request units, on demand',
    unit: 'units',
    per: 1_000_000,
    tiers: [{ dollars: 0.125 }],
    asOf: '2025-07',
    source: 'airbyte.com "Amazon DynamoDB Pricing", after the reduction of November 2024',
  },
  tableStorage: {
    service: 'DynamoDB',
    what: 'storage, tables and indexes',
    unit: 'GB-months',
    per: 1,
    tiers: [{ dollars: 0.25 }],
    asOf: '2024-12',
    source: 'unverified',
  },
  recoveryStorage: {
    service: 'DynamoDB',
    what: 'point-in-time recovery',
    unit: 'GB-months',
    per: 1,
    tiers: [{ dollars: 0.2 }],
    asOf: '2024-12',
    source: 'unverified',
  },
  logIngestion: {
    service: 'CloudWatch',
    what: 'logs taken in',
    unit: 'GB',
    per: 1,
    // Further tiers, from 10 TB a month, are cheaper; nothing here comes near.
    tiers: [{ dollars: 0.5 }],
    asOf: '2025-05',
    source: 'duckbillgroup.com on the tiers of Lambda logs of May 2025; hykell.com "Amazon CloudWatch Logs pricing"',
  },
  logStorage: {
    service: 'CloudWatch',
    what: 'logs kept',
    unit: 'GB-months',
    per: 1,
    tiers: [{ dollars: 0.03 }],
    asOf: '2025-05',
    source: 'hykell.com "Amazon CloudWatch Logs pricing"',
  },
  alarms: {
    service: 'CloudWatch',
    what: 'alarms, by their metrics',
    unit: 'metrics',
    per: 1,
    tiers: [{ dollars: 0.1 }],
    asOf: '2026-06',
    source: 'c3x.dev "aws_cloudwatch_metric_alarm cost estimation"',
  },
  customMetrics: {
    service: 'CloudWatch',
    what: 'metrics from the access log',
    unit: 'metrics',
    per: 1,
    tiers: [{ upTo: 10_000, dollars: 0.3 }, { dollars: 0.1 }],
    asOf: '2026-06',
    source: 'calculator.city "AWS CloudWatch Custom Metrics Cost Calculator"; hivebook.wiki on CloudWatch Logs cost',
  },
  dashboards: {
    service: 'CloudWatch',
    what: 'dashboards',
    unit: 'dashboards',
    per: 1,
    tiers: [{ dollars: 3 }],
    asOf: '2024-12',
    source: 'unverified',
  },
  traces: {
    service: 'X-Ray',
    what: 'traces recorded',
    unit: 'traces',
    per: 1_000_000,
    tiers: [{ dollars: 5 }],
    asOf: '2026-01',
    source: 'aws.amazon.com/xray/pricing; awsnegotiations.com "AWS X-Ray Pricing Strategy"',
  },
  firewallRequests: {
    service: 'WAF',
    what: 'requests inspected',
    unit: 'requests',
    per: 1_000_000,
    tiers: [{ dollars: 0.6 }],
    asOf: '2026-01',
    source: 'awsnegotiations.com "AWS WAF Pricing Strategy"; c3x.dev "AWS WAF cost explained"',
  },
  firewallLists: {
    service: 'WAF',
    what: 'web access lists',
    unit: 'lists',
    per: 1,
    tiers: [{ dollars: 5 }],
    asOf: '2026-01',
    source: 'awsnegotiations.com "AWS WAF Pricing Strategy"; c3x.dev "AWS WAF cost explained"',
  },
  firewallRules: {
    service: 'WAF',
    what: 'rules',
    unit: 'rules',
    per: 1,
    tiers: [{ dollars: 1 }],
    asOf: '2026-01',
    source: 'awsnegotiations.com "AWS WAF Pricing Strategy"; c3x.dev "AWS WAF cost explained"',
  },
  encryptionKeys: {
    service: 'KMS',
    what: 'keys',
    unit: 'keys',
    per: 1,
    tiers: [{ dollars: 1 }],
    asOf: '2026-03',
    source: 'aws.amazon.com/kms/pricing; cloudburn.io "AWS KMS Pricing"',
  },
  transferOut: {
    service: 'Data transfer',
    what: 'out to the internet',
    unit: 'GB',
    per: 1,
    tiers: [{ upTo: 10_240, dollars: 0.09 }, { upTo: 51_200, dollars: 0.085 }, { dollars: 0.07 }],
    asOf: '2026-04',
    source: 'leanopstech.com "AWS Data Transfer Pricing in 2026"',
  },
} as const satisfies Record<string, Price>

export type PriceName = keyof typeof prices
