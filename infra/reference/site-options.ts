import type { Plan } from '../../shared/api-keys/plans.ts'

/** The document at `/`. */
export const indexPath = 'index.html'

/** The differences between the reference pages of the environments. */
export interface SiteOptions {
  /** The base URL of the API, with the stage and without a final slash. It may be a CDK token, which is text too. */
  readonly baseUrl: string
  readonly environment: 'local' | 'staging' | 'production'
  /** Where people request an API key: a page or a `mailto:` address. */
  readonly contactUrl?: string
  /** Keys that anyone may see and use; the local environment has them. */
  readonly demoKeys?: readonly { readonly plan: Plan; readonly apiKey: string }[]
}

export interface SiteFile {
  /** From the root of the site, without a slash at its beginning. */
  readonly path: string
  readonly contentType: string
  readonly body: string
}
