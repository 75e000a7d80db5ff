import type { RetentionDays } from 'aws-cdk-lib/aws-logs'
import type { ApiKeyPrefix } from '../shared/api-keys/api-key.ts'
import type { BanPolicy } from '../shared/rate-limit/ban-policy.ts'

export const environmentNames = ['staging', 'production'] as const

export type EnvironmentName = (typeof environmentNames)[number]

/** What differs between the environments. Everything else is the same in each. */
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
  }
  readonly logs: {
    readonly retentionDays: RetentionDays
    /** Whether the logs stay, until their time is over, when their stack is deleted. */
    readonly keptAfterStack: boolean
  }
}

const banPolicy: BanPolicy = { refusalsBeforeBan: 100, firstBanSeconds: 60, longestBanSeconds: 3_600 }

export const environments: Record<EnvironmentName, EnvironmentConfig> = {
  staging: {
    apiKeyPrefix: 'pet_test_',
    banPolicy,
    tables: { deletionProtection: false, pointInTimeRecovery: false, keptAfterStack: false },
    functions: { memoryMegabytes: 1_024 },
    logs: { retentionDays: 14, keptAfterStack: false },
  },
  production: {
    apiKeyPrefix: 'pet_live_',
    banPolicy,
    tables: { deletionProtection: true, pointInTimeRecovery: true, keptAfterStack: true },
    functions: { memoryMegabytes: 1_024 },
    logs: { retentionDays: 365, keptAfterStack: true },
  },
}
