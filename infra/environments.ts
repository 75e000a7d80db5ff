import type { RetentionDays } from 'aws-cdk-lib/aws-logs'
import type { ApiKeyPrefix } from '../shared/api-keys/api-key.ts'
import type { BanPolicy } from '../shared/rate-limit/rate-limiter.ts'

export const environmentNames = ['staging', 'production'] as const

export type EnvironmentName = (typeof environmentNames)[number]

/** The environment whose templates the local environment runs, with the default settings. */
export const localStage = 'staging' satisfies EnvironmentName

/** The settings of one environment. Prices are in US dollars. */
export interface EnvironmentConfig {
  /**
   * AWS account to deploy to: its twelve digits. Commands refuse the credentials of another account.
   *
   * Default: the account of the deploying credentials, whichever that is.
   */
  readonly account?: `${number}`

  /**
   * AWS Region to deploy to, for example `eu-central-1`. Commands look for the environment there too.
   *
   * Default: the Region of the credentials.
   */
  readonly region?: `${string}-${string}-${number}` | `${string}-${string}-${string}-${number}`

  /**
   * E-mail address that receives the alarms, or `none`. AWS asks the recipient to confirm first.
   *
   * Default: nobody receives the alarms, and the synth of production warns. `none` means the same without a warning.
   */
  readonly alarmEmail?: `${string}@${string}.${string}` | 'none'

  /**
   * Web address of infra/RUNBOOK.md, which the text of each alarm links.
   *
   * Default: the text names the path in the repository.
   */
  readonly runbookUrl?: `https://${string}`

  /**
   * Address where callers request an API key. The API reference shows it.
   *
   * Default: the reference names no address.
   */
  readonly contactUrl?: `https://${string}` | `mailto:${string}@${string}`

  /**
   * Custom domain of the API. `infra/README.md` has the steps of a change-over without an outage. If you remove the
   * domain later, callers need another base URL.
   *
   * Default: the endpoint that API Gateway assigns.
   */
  readonly domain?: {
    /** Host name, for example `api.example.org`. */
    readonly name: `${string}.${string}`
    /** ARN of a certificate of AWS Certificate Manager, in the Region of the API. */
    readonly certificateArn: `arn:${string}:acm:${string}:${string}:certificate/${string}`
    /**
     * Public hosted zone of Route 53, in the same account, in which the deployment makes the DNS record of the domain.
     * A name that has a record already makes the deployment fail: delete that record first.
     *
     * Default: you make the record, for the target in the outputs `DomainTarget` and `DomainTargetHostedZoneId`.
     */
    readonly hostedZone?: { readonly id: `Z${string}`; readonly name: `${string}.${string}` }
    /**
     * Uses the domain as the base URL, in the API reference and in `npm run smoke`, and disables the default endpoint.
     * Set it when the domain responds.
     *
     * Default: the base URL has the default endpoint.
     */
    readonly inUse?: true
  }

  /**
   * First characters of every API key. After a change, all keys that were issued before are refused.
   *
   * Default: `pet_test_` in staging, `pet_live_` in production.
   */
  readonly apiKeyPrefix: ApiKeyPrefix

  /**
   * Temporary bans of keys that go on sending requests over their limit.
   * - `refusalsBeforeBan`: number of refused requests that bans the key. The number starts again with the first
   *   request that is admitted in a new minute or day. Default: 100.
   * - `firstBanSeconds`: length of the first ban of a UTC day. Each further ban lasts twice as long. Default: 60.
   * - `longestBanSeconds`: maximum length of a ban, at most a day. Default: 3,600.
   */
  readonly banPolicy: BanPolicy

  /**
   * Protection of tables and logs.
   * - `protected`: the tables have deletion protection and point-in-time recovery ($0.20 per GB and month). Stacks
   *   refuse to be deleted. If a stack is deleted all the same, its tables and logs stay.
   * - `disposable`: tables and logs are deleted with their stack.
   *
   * Default: `disposable` in staging, `protected` in production. Production must be protected.
   */
  readonly data: 'protected' | 'disposable'

  /**
   * Memory of each function that serves requests, in megabytes. Lambda charges for memory by time, and assigns
   * processor time by memory: with less memory each request takes longer. From 128 to 10,240.
   *
   * Default: 1,024.
   */
  readonly memoryMegabytes: number

  /**
   * Number of instances reserved for each operation: the operation runs on no more, and no other function uses them. So
   * a flood on one operation does not throttle the others. The authorizer runs for all operations, so it uses the
   * unreserved instances, of which Lambda leaves the account at least 100. An instance runs some ten requests a second.
   * `gateway-keys` reserves one instance, because its runs do not overlap.
   *
   * Default: functions share the unreserved instances. A new account, to which AWS allows ten instances, can reserve
   * none.
   */
  readonly reservedConcurrency?: number

  /**
   * Days that logs are kept. They cost $0.03 per GB and month; older events cannot be queried. The audit is always kept
   * for a year.
   *
   * Default: 30.
   */
  readonly logRetentionDays: RetentionDays

  /**
   * Maximum rate of requests to one method, from all callers together: API Gateway applies a stage's throttle to each
   * method separately. The throttle limits the cost of a flood without keys.
   *
   * No method gets more than the account has: 10,000 requests per second with a burst of 5,000. In some Regions it has
   * 2,500 and 1,250, which may refuse a caller of the largest fixed plan early.
   *
   * Default: 20 requests per second and a burst of 2,500 in staging; 2,000 and 4,000 in production.
   */
  readonly methodThrottle: {
    readonly requestsPerSecond: number
    /** Requests at once. Synth accepts no burst that would refuse two full minutes of the largest fixed plan. */
    readonly burst: number
  }

  /**
   * Release of a new version of the functions.
   * - `canary`: the version gets a tenth of the traffic for five minutes, then all. An alarm in that time moves the
   *   traffic back. Requires `alarms`. A deployment takes minutes longer.
   * - `all-at-once`: the version gets all traffic at once. A faulty version stays until another one is deployed.
   *
   * `-c <environment>.release=all-at-once` on the command line skips the canary of that one release.
   *
   * Default: `all-at-once` in staging, `canary` in production.
   */
  readonly release: 'canary' | 'all-at-once'

  /**
   * Alarms, $2.10 a month. Without alarms nobody is notified of a fault, and no release is rolled back.
   *
   * Default: true.
   */
  readonly alarms: boolean

  /**
   * CloudWatch dashboard, $3 a month. Without it you look up the metrics of each AWS service separately. The saved
   * queries exist in either case.
   *
   * Default: false in staging, true in production.
   */
  readonly dashboard: boolean

  /**
   * Maximum number of requests from one IP address in five minutes; a web firewall blocks the rest. A whole shelter may
   * share one address. The firewall costs $6 a month and $0.60 per million requests. AWS takes no less than 10.
   *
   * With `undefined` there is no firewall: one address can then send a flood that costs as much as `methodThrottle`
   * admits.
   *
   * Default: undefined in staging, 20,000 in production.
   */
  readonly requestsPerAddress: number | undefined

  /**
   * X-Ray traces, $5 per million. API Gateway chooses the requests to trace, and a caller can force a trace of each of
   * its requests. Without traces nothing shows how the time of one request divides between authorizer, function and
   * table.
   *
   * Default: false.
   */
  readonly tracing: boolean

  /**
   * Web page of the API reference, served by CloudFront; its costs grow with its readers. AWS may refuse CloudFront to
   * a new account ("must be verified"): set false until the account is verified, and everything else deploys.
   *
   * Default: true.
   */
  readonly reference: boolean
}

/** Settings that belong together. No preset changes the protection of data or the limits of callers. */
export const presets = {
  /** Default of production. The firewall admits four keys of the largest fixed plan at full speed from one address. */
  standard: {
    release: 'canary',
    alarms: true,
    dashboard: true,
    requestsPerAddress: 20_000,
  },
  /** For one shelter: without requests it costs nothing. Nobody is notified of a fault. */
  small: {
    release: 'all-at-once',
    alarms: false,
    dashboard: false,
    requestsPerAddress: undefined,
  },
} as const satisfies Record<string, Partial<EnvironmentConfig>>

const commonDefaults = {
  banPolicy: {
    refusalsBeforeBan: 100,
    firstBanSeconds: 60,
    longestBanSeconds: 3_600,
  },
  memoryMegabytes: 1_024,
  logRetentionDays: 30,
  tracing: false,
  reference: true,
} as const

/** Default settings. The local environment and the tests use them unchanged. */
export const defaults: Readonly<Record<EnvironmentName, EnvironmentConfig>> = {
  staging: {
    ...commonDefaults,
    ...presets.small,
    alarms: true,
    apiKeyPrefix: 'pet_test_',
    data: 'disposable',
    // The burst admits the end-to-end tests, which send 500 requests at once, and a key of the largest fixed plan,
    // which may send 1,000 a minute. The rate limits the cost of a flood that lasts a day.
    methodThrottle: { requestsPerSecond: 20, burst: 2_500 },
  },
  production: {
    ...commonDefaults,
    ...presets.standard,
    apiKeyPrefix: 'pet_live_',
    data: 'protected',
    methodThrottle: { requestsPerSecond: 2_000, burst: 4_000 },
  },
}

/**
 * Your settings: any of those above, in place of their defaults. For example
 *
 *     production: { ...presets.small, alarms: true, region: 'eu-central-1', alarmEmail: 'ops@example.org' },
 */
const overrides: Readonly<Record<EnvironmentName, Partial<EnvironmentConfig>>> = {
  staging: {},
  production: {},
}

export const environments: Readonly<Record<EnvironmentName, EnvironmentConfig>> = {
  staging: { ...defaults.staging, ...overrides.staging },
  production: { ...defaults.production, ...overrides.production },
}
