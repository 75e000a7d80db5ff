import { UserError } from '../../command-line/user-error.ts'
import type { Authorizer } from './authorizer.ts'
import type { Integration } from './integration.ts'

/** The REST API of an environment, as far as its template tells and its gateway needs. */
export interface RestApi {
  readonly id: string
  /** The first segment of every path. */
  readonly stageName: string
  readonly deploymentId: string
  readonly resources: readonly ApiResource[]
  readonly gatewayResponses: ReadonlyMap<string, GatewayResponse>
  readonly usagePlans: ReadonlyMap<string, UsagePlan>
  /** The API keys that the template itself has, by their values. */
  readonly apiKeys: ReadonlyMap<string, TemplateApiKey>
}

export interface ApiResource {
  readonly id: string
  /** Such as `/pets/{petId}`; `/` for the root. */
  readonly path: string
  /** By HTTP method, or `ANY`. */
  readonly methods: ReadonlyMap<string, ApiMethod>
}

export interface ApiMethod {
  readonly authorizer: Authorizer | undefined
  readonly apiKeyRequired: boolean
  readonly integration: Integration
}

export interface GatewayResponse {
  readonly status: number | undefined
  /** Such as `gatewayresponse.header.Retry-After` and `context.authorizer.retryAfter`. */
  readonly parameters: Readonly<Record<string, string>>
  /** By content type. */
  readonly templates: Readonly<Record<string, string>>
}

export interface TemplateApiKey {
  readonly name: string
  readonly usagePlanId: string
}

export interface UsagePlan {
  readonly id: string
  readonly name: string
  readonly throttle: { readonly ratePerSecond: number; readonly burst: number } | undefined
  readonly quota: { readonly limit: number; readonly period: QuotaPeriod } | undefined
}

export type QuotaPeriod = 'DAY' | 'WEEK' | 'MONTH'

export const asQuotaPeriod = (value: unknown): QuotaPeriod => {
  if (value !== 'DAY' && value !== 'WEEK' && value !== 'MONTH') {
    throw new UserError('The period of a quota must be DAY, WEEK or MONTH.')
  }
  return value
}
