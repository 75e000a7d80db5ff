import type { Allowance, Plan } from '../../shared/api-keys/plans.ts'

/** What differs between the reference pages of the environments. */
export interface SiteOptions {
  /** Where the API answers, with the stage and without a slash at its end. It may be a CDK token, which is text too. */
  readonly baseUrl: string
  readonly environment: 'local' | 'staging' | 'production'
  /** Where people ask for an API key: a page or a `mailto:` address. */
  readonly contactUrl?: string
  /** Keys that anyone may see and use; the local environment has them. */
  readonly demoKeys?: readonly DemonstrationKey[]
}

export interface DemonstrationKey {
  readonly plan: Plan
  readonly allowance: Allowance
  readonly apiKey: string
}
