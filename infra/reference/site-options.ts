import type { Plan } from '../../shared/api-keys/plans.ts'
import type { BanPolicy } from '../../shared/rate-limit/rate-limiter.ts'

/** Path of the document that is served at `/`. */
export const indexPath = 'index.html'

export interface DemoKey {
  readonly plan: Plan
  readonly apiKey: string
}

/** Settings of the reference page that differ between environments. */
export interface SiteOptions {
  /** Base URL of the API: with the stage, without a final slash. It may be a CDK token, which is text too. */
  readonly baseUrl: string
  readonly environment: 'local' | 'staging' | 'production'
  readonly banPolicy: BanPolicy
  /** Page or `mailto:` address where people request an API key. */
  readonly contactUrl?: string
  /** Keys that the page shows to everybody. Only the local environment has them. */
  readonly demoKeys?: readonly DemoKey[]
}

export interface SiteFile {
  /** Path from the root of the site, without a leading slash. */
  readonly path: string
  readonly contentType: string
  /** Text, or the bytes of a package. */
  readonly body: string | Uint8Array
}
