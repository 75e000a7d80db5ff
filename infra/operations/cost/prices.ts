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
  /** The page on which AWS publishes it. */
  readonly source: `https://${'aws' | 'docs.aws'}.amazon.com/${string}`
  /** The month as of which it was read there; `unverified` where it was not. */
  readonly asOf: `20${number}-${number}` | 'unverified'
}

/**
 * AWS list prices of us-east-1 (N. Virginia), without any free tier, discount or tax. Prices change and differ by
 * Region: compare them with AWS's pages before you rely on a figure. A page of AWS that does not name its
 * date is dated by the newest other publication that agrees with it.
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
    source:
      'https://docs.aws.amazon.com/whitepapers/latest/best-practices-api-gateway-private-apis-integration/cost-optimization.html',
    asOf: '2026-06',
  },
  lambdaRequests: {
    service: 'Lambda',
    what: 'invocations',
    unit: 'invocations',
    per: 1_000_000,
    tiers: [{ dollars: 0.2 }],
    source: 'https://aws.amazon.com/lambda/pricing/',
    asOf: 'unverified',
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
    source: 'https://aws.amazon.com/lambda/pricing/',
    asOf: 'unverified',
  },
  writeUnits: {
    service: 'DynamoDB',
    what: 'write request units, on demand',
    unit: 'units',
    per: 1_000_000,
    tiers: [{ dollars: 0.625 }],
    source: 'https://aws.amazon.com/dynamodb/pricing/on-demand/',
    asOf: 'unverified',
  },
  readUnits: {
    service: 'DynamoDB',
    what: 'read request units, on demand',
    unit: 'units',
    per: 1_000_000,
    tiers: [{ dollars: 0.125 }],
    source: 'https://aws.amazon.com/dynamodb/pricing/on-demand/',
    asOf: 'unverified',
  },
  tableStorage: {
    service: 'DynamoDB',
    what: 'storage, tables and indexes',
    unit: 'GB-months',
    per: 1,
    tiers: [{ dollars: 0.25 }],
    source: 'https://aws.amazon.com/dynamodb/pricing/',
    asOf: '2026-05',
  },
  recoveryStorage: {
    service: 'DynamoDB',
    what: 'point-in-time recovery',
    unit: 'GB-months',
    per: 1,
    tiers: [{ dollars: 0.2 }],
    source: 'https://aws.amazon.com/dynamodb/pricing/on-demand/',
    asOf: 'unverified',
  },
  logIngestion: {
    service: 'CloudWatch',
    what: 'logs taken in',
    unit: 'GB',
    per: 1,
    // Further tiers, from 10 TB a month, are cheaper; nothing here comes near.
    tiers: [{ dollars: 0.5 }],
    source: 'https://aws.amazon.com/cloudwatch/pricing/',
    asOf: 'unverified',
  },
  logStorage: {
    service: 'CloudWatch',
    what: 'logs kept',
    unit: 'GB-months',
    per: 1,
    tiers: [{ dollars: 0.03 }],
    source: 'https://aws.amazon.com/cloudwatch/pricing/',
    asOf: 'unverified',
  },
  alarms: {
    service: 'CloudWatch',
    what: 'alarms, by their metrics',
    unit: 'metrics',
    per: 1,
    tiers: [{ dollars: 0.1 }],
    source: 'https://aws.amazon.com/cloudwatch/pricing/',
    asOf: 'unverified',
  },
  customMetrics: {
    service: 'CloudWatch',
    what: 'metrics from the access log',
    unit: 'metrics',
    per: 1,
    tiers: [{ upTo: 10_000, dollars: 0.3 }, { dollars: 0.1 }],
    source: 'https://aws.amazon.com/cloudwatch/pricing/',
    asOf: 'unverified',
  },
  dashboards: {
    service: 'CloudWatch',
    what: 'dashboards',
    unit: 'dashboards',
    per: 1,
    tiers: [{ dollars: 3 }],
    source: 'https://aws.amazon.com/cloudwatch/pricing/',
    asOf: 'unverified',
  },
  traces: {
    service: 'X-Ray',
    what: 'traces recorded',
    unit: 'traces',
    per: 1_000_000,
    tiers: [{ dollars: 5 }],
    source: 'https://aws.amazon.com/xray/pricing/',
    asOf: '2026-01',
  },
  firewallRequests: {
    service: 'WAF',
    what: 'requests inspected',
    unit: 'requests',
    per: 1_000_000,
    tiers: [{ dollars: 0.6 }],
    source: 'https://aws.amazon.com/waf/pricing/',
    asOf: 'unverified',
  },
  firewallLists: {
    service: 'WAF',
    what: 'web access lists',
    unit: 'lists',
    per: 1,
    tiers: [{ dollars: 5 }],
    source: 'https://aws.amazon.com/waf/pricing/',
    asOf: 'unverified',
  },
  firewallRules: {
    service: 'WAF',
    what: 'rules',
    unit: 'rules',
    per: 1,
    tiers: [{ dollars: 1 }],
    source: 'https://aws.amazon.com/waf/pricing/',
    asOf: 'unverified',
  },
  encryptionKeys: {
    service: 'KMS',
    what: 'keys',
    unit: 'keys',
    per: 1,
    tiers: [{ dollars: 1 }],
    source: 'https://aws.amazon.com/kms/pricing/',
    asOf: '2026-03',
  },
  transferOut: {
    service: 'Data transfer',
    what: 'out to the internet',
    unit: 'GB',
    per: 1,
    tiers: [{ upTo: 10_240, dollars: 0.09 }, { upTo: 51_200, dollars: 0.085 }, { dollars: 0.07 }],
    source: 'https://aws.amazon.com/ec2/pricing/on-demand/',
    asOf: 'unverified',
  },
} as const satisfies Record<string, Price>

export type PriceName = keyof typeof prices
