import type { RetentionDays } from 'aws-cdk-lib/aws-logs'
import type { ApiKeyPrefix } from '../shared/api-keys/api-key.ts'
import type { BanPolicy } from '../shared/rate-limit/rate-limiter.ts'

export const environmentNames = ['staging', 'production'] as const

export type EnvironmentName = (typeof environmentNames)[number]

/** The local environment runs the templates of this one, with its defaults. */
export const localStage = 'staging' satisfies EnvironmentName

/** What may differ between environments. */
export interface EnvironmentConfig {
  /** The twelve digits of the AWS account. Without them, that of the deploying credentials, whichever that is. */
  readonly account?: `${number}`
  /** Such as `eu-central-1`. Without it, that of the deploying credentials; operators' commands look there too. */
  readonly region?: `${string}-${string}-${number}`
  /** Who gets the alarms; AWS asks for confirmation. Without it nobody does, and synth of production warns; or `none`. */
  readonly alarmEmail?: `${string}@${string}.${string}` | 'none'
  /** The address of infra/README.md on the web. Without it alarms name its path in the repository. */
  readonly runbookUrl?: `https://${string}`
  /** Where callers request an API key. Without it the reference names no address. */
  readonly contactUrl?: `https://${string}` | `mailto:${string}@${string}`
  /**
   * A host name for the API. It disables the default endpoint at once: lower the time to live of the DNS record before. To
   * take it away later gives callers another base URL.
   */
  readonly domain?: {
    readonly name: `${string}.${string}`
    /** A certificate of AWS Certificate Manager, in the Region of the API. */
    readonly certificateArn: `arn:aws:acm:${string}:${string}:certificate/${string}`
  }
  /** What every key begins with. Another one refuses all keys that were issued. */
  readonly apiKeyPrefix: ApiKeyPrefix
  readonly banPolicy: BanPolicy
  /**
   * `protected`: deletion protection, point-in-time recovery ($0.20 a GB), stacks that refuse to be deleted, and tables
   * and logs that stay if they are deleted all the same. `disposable`: all goes with the stacks. Production must be protected.
   */
  readonly data: 'protected' | 'disposable'
  /** Lambda charges for memory by time, and gives processor time by memory: less of it makes each request slower. */
  readonly memoryMegabytes: number
  /**
   * The instances that each function has for itself; the account must keep 100 for all others. Without it functions share
   * the unreserved ones, and a flood on one operation can throttle the others.
   */
  readonly reservedConcurrency?: number
  /** How long logs are kept. They cost $0.03 a GB and month; what happened before cannot be queried. */
  readonly logRetentionDays: RetentionDays
  /**
   * The maximum that all callers together may send to one method: API Gateway applies a stage's throttle to each method
   * separately. It bounds what a flood without keys costs, but the burst must admit two minutes of the largest fixed plan.
   * No method gets more than the account: 10,000 a second, burst 5,000; in some Regions 2,500 and 1,250, and there a caller
   * of that plan may be refused early.
   */
  readonly methodThrottle: {
    readonly requestsPerSecond: number
    readonly burst: number
  }
  /**
   * `canary`: a tenth of the traffic for five minutes, then the rest, unless an alarm moves it back; a deployment takes
   * minutes longer. `all-at-once`: a faulty version has all traffic at once, until it is deployed again.
   */
  readonly release: (typeof releases)[number]
  /** $1.90 a month. Without alarms nobody is notified of a fault, and no release is rolled back. */
  readonly alarms: boolean
  /** $3 a month. Without it the metrics of each service are seen by themselves; the saved queries remain. */
  readonly dashboard: boolean
  /**
   * The maximum from one IP address in five minutes, by a web firewall: $6 a month and $0.60 for a million requests. A whole
   * shelter may share one address. Without a firewall one address can send a flood, which costs as much as `methodThrottle`
   * admits.
   */
  readonly requestsPerAddress: number | undefined
  /**
   * X-Ray traces, $5 for a million: API Gateway decides which requests, and a caller can force one for each of its requests.
   * Without traces no tool splits the time of one request between authorizer, function and table.
   */
  readonly tracing: boolean
  /**
   * The API reference behind CloudFront, paid by its readers. AWS may refuse a new account CloudFront ("must be verified"):
   * without the reference everything else is deployed all the same.
   */
  readonly reference: boolean
}

export const releases = ['canary', 'all-at-once'] as const

/** What is turned on. What they protect and promise is the same. */
export const presets = {
  /** The default of production. The firewall admits four keys of the largest fixed plan at full speed from one address. */
  standard: { release: 'canary', alarms: true, dashboard: true, requestsPerAddress: 20_000 },
  /** For one shelter: nothing costs without requests, and nobody is told of a fault. */
  small: { release: 'all-at-once', alarms: false, dashboard: false, requestsPerAddress: undefined },
} as const satisfies Record<string, Partial<EnvironmentConfig>>

/**
 * What you set: any of the properties above, such as
 *
 *     production: { ...presets.small, alarms: true, region: 'eu-central-1', alarmEmail: 'ops@example.org' },
 */
const yours: Readonly<Record<EnvironmentName, Partial<EnvironmentConfig>>> = {
  staging: {},
  production: {},
}

const ofBoth = {
  banPolicy: { refusalsBeforeBan: 100, firstBanSeconds: 60, longestBanSeconds: 3_600 },
  memoryMegabytes: 1_024,
  logRetentionDays: 30,
  tracing: false,
  reference: true,
} as const

/** What you need not set. The local environment and the tests use these alone. */
export const defaults: Readonly<Record<EnvironmentName, EnvironmentConfig>> = {
  staging: {
    ...ofBoth,
    ...presets.small,
    alarms: true,
    apiKeyPrefix: 'pet_test_',
    data: 'disposable',
    // The end-to-end tests send 500 requests at once, and a key of the largest fixed plan may send 1,000 a minute. The
    // rate limits the cost of a flood that lasts a day.
    methodThrottle: { requestsPerSecond: 20, burst: 2_500 },
  },
  production: {
    ...ofBoth,
    ...presets.standard,
    apiKeyPrefix: 'pet_live_',
    data: 'protected',
    methodThrottle: { requestsPerSecond: 2_000, burst: 4_000 },
  },
}

export const environments: Readonly<Record<EnvironmentName, EnvironmentConfig>> = {
  staging: { ...defaults.staging, ...yours.staging },
  production: { ...defaults.production, ...yours.production },
}
