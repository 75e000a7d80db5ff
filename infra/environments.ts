import type { RetentionDays } from 'aws-cdk-lib/aws-logs'
import type { ApiKeyPrefix } from '../shared/api-keys/api-key.ts'
import type { BanPolicy } from '../shared/rate-limit/rate-limiter.ts'

/** The local environment runs the templates of this one. */
export const localStage = 'staging' satisfies EnvironmentName

export const environmentNames = ['staging', 'production'] as const

export type EnvironmentName = (typeof environmentNames)[number]

/** The differences between the environments. */
export interface EnvironmentConfig {
  /** The AWS account and Region to deploy to; without them, those of the deploying credentials. */
  readonly account?: string
  readonly region?: string
  readonly apiKeyPrefix: ApiKeyPrefix
  readonly banPolicy: BanPolicy
  readonly tables: {
    readonly deletionProtection: boolean
    readonly pointInTimeRecovery: boolean
    /** Whether the tables stay when their stack is deleted. */
    readonly keptAfterStack: boolean
  }
  readonly functions: {
    readonly memoryMegabytes: number
    /** The reserved concurrency of each function; without it they share the unreserved concurrency of the account. */
    readonly reservedConcurrency?: number
  }
  readonly logs: {
    readonly retentionDays: RetentionDays
    /** Whether the logs stay, until their retention ends, when their stack is deleted. */
    readonly keptAfterStack: boolean
  }
  /**
   * The maximum that all callers together may send to one method. API Gateway applies a stage's throttle to each method
   * separately. It must admit the burst of the largest fixed plan. Only it limits the cost of a flood without keys.
   */
  readonly methodThrottle: {
    readonly requestsPerSecond: number
    readonly burst: number
  }
  /** `canary`: a tenth of the traffic for five minutes, then all of it, unless an alarm rolls it back. */
  readonly release: 'all-at-once' | 'canary'
  /**
   * Which requests X-Ray traces: none, two a second, or all. Unless it is off, any caller can force a trace for each
   * request. Without traces no tool splits the time of one request between authorizer, function and table.
   */
  readonly tracing: 'off' | 'sampled' | 'all'
  /** Without alarms nobody is notified of a fault, and no release is rolled back. */
  readonly alarms: boolean
  /** Without the dashboard you open the metrics of each service by themselves. The saved queries do not need it. */
  readonly dashboard: boolean
  /** A KMS key for the topic of alarms. Without it SNS stores the alarms' texts, which hold no data, unencrypted. */
  readonly topicKey: boolean
  /** A request every five minutes. Without it nobody is notified of an outage while no caller sends requests. */
  readonly probe: boolean
  /** In US dollars for the whole AWS account. Above it the topic of alarms is notified. */
  readonly monthlyBudget: number
  /** Where alarms are sent. With `none`, or without it, only the subscribers that the operator adds to the topic get them. */
  readonly alarmEmail?: string
  /** The address of infra/README.md on the web; without it, alarms name its path in the repository. */
  readonly runbookUrl?: string
  /** The https: or mailto: address at which callers request an API key; without it, the reference names none. */
  readonly contactUrl?: string
  /** Replaces the default endpoint of API Gateway, which is disabled then. */
  readonly domain?: CustomDomain
  /** Without the web firewall one address can send a flood, which costs as much as the throttle of each method admits. */
  readonly firewall?:
    | {
        /** The maximum of requests from one IP address in five minutes. */
        readonly requestsPerAddress: number
      }
    | undefined
  /** What this deployment may remove of what is deployed. */
  readonly mayRemove?: readonly Removable[]
}

/** What no deployment removes unless the operator names it. */
export const removable = ['domain', 'subscription', 'protection'] as const

export type Removable = (typeof removable)[number]

/** What each size changes of an environment. */
export const sizes = {
  standard: {},
  /** For one shelter: it protects data like the other, and has nothing that costs without requests. */
  small: {
    release: 'all-at-once',
    tracing: 'off',
    alarms: false,
    dashboard: false,
    topicKey: false,
    probe: false,
    firewall: undefined,
  },
} as const satisfies Record<string, Partial<EnvironmentConfig>>

export interface CustomDomain {
  readonly name: string
  /** A certificate of AWS Certificate Manager, in the Region of the API. */
  readonly certificateArn: string
}

const banPolicy: BanPolicy = { refusalsBeforeBan: 100, firstBanSeconds: 60, longestBanSeconds: 3_600 }

export const environments: Record<EnvironmentName, EnvironmentConfig> = {
  staging: {
    apiKeyPrefix: 'pet_test_',
    banPolicy,
    tables: { deletionProtection: false, pointInTimeRecovery: false, keptAfterStack: false },
    functions: { memoryMegabytes: 1_024 },
    logs: { retentionDays: 30, keptAfterStack: false },
    // The end-to-end tests send 500 requests at once. A key of the largest fixed plan may send 1,000 a minute. The rate
    // limits the cost of a flood that lasts a day.
    methodThrottle: { requestsPerSecond: 20, burst: 2_500 },
    release: 'all-at-once',
    tracing: 'off',
    alarms: true,
    dashboard: false,
    topicKey: false,
    probe: false,
    monthlyBudget: 50,
  },
  production: {
    apiKeyPrefix: 'pet_live_',
    banPolicy,
    tables: { deletionProtection: true, pointInTimeRecovery: true, keptAfterStack: true },
    functions: { memoryMegabytes: 1_024 },
    logs: { retentionDays: 30, keptAfterStack: true },
    methodThrottle: { requestsPerSecond: 2_000, burst: 4_000 },
    release: 'canary',
    tracing: 'off',
    alarms: true,
    dashboard: true,
    topicKey: true,
    probe: false,
    monthlyBudget: 250,
    // A whole shelter may share one IP address: four keys of the largest fixed plan at full speed.
    firewall: { requestsPerAddress: 20_000 },
  },
}
