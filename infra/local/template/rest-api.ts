import type { Integration } from './integration.ts'
import type { StaticResponse } from './static-response.ts'

/** The REST API of an environment: what the gateway needs of its template. */
export interface RestApi {
  readonly id: string
  /** The first segment of every path. */
  readonly stageName: string
  readonly deploymentId: string
  readonly resources: readonly ApiResource[]
  /** By response type, such as `UNAUTHORIZED`. */
  readonly gatewayResponses: ReadonlyMap<string, StaticResponse>
  /** By id. */
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
  /** A REQUEST authorizer, which is invoked for every request. */
  readonly authorizer: { readonly functionName: string } | undefined
  readonly apiKeyRequired: boolean
  readonly integration: Integration
}

interface TemplateApiKey {
  readonly name: string
  readonly usagePlanId: string
}

/** With CloudFormation's properties. */
export interface UsagePlan {
  readonly id: string
  readonly Throttle?: Throttle
  /** Requests in a UTC day. */
  readonly Quota?: { readonly Limit: number; readonly Period: string }
}

export interface Throttle {
  /** Requests in a second. */
  readonly RateLimit: number
  readonly BurstLimit: number
}
