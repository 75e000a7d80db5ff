import type { ApiMethod } from '../template/rest-api.ts'

/** Each name with all its values in their order. */
export type MultiValues = Readonly<Record<string, readonly string[] | undefined>>

/** A request as it came. */
export interface Received {
  readonly requestId: string
  readonly httpMethod: string
  /** As in the request line, with the stage, without the query. */
  readonly rawPath: string
  readonly rawQuery: string
  /** By their names in lower case. */
  readonly headers: MultiValues
  readonly sourceIp: string
  /** Without binary media types API Gateway passes every body on as UTF-8. */
  readonly body: string
}

/** A request for which the REST API has a method. */
export interface Routed extends Received {
  readonly method: ApiMethod
  /** Without the stage, percent-encoded as sent, with the slashes at its end. */
  readonly path: string
  /** Percent-encoded as sent. */
  readonly pathParameters: Readonly<Record<string, string>>
}

/** A request that its authorizer allows, or that needs none. */
export interface Authorized extends Routed {
  /** What its function is told of the authorizer's decision; undefined without an authorizer. */
  readonly authorizer: Readonly<Record<string, string>> | undefined
}

/** What is sent to the caller. A header may be there twice. */
export interface HttpResponse {
  readonly status: number
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body: string
}

/** The outcome of a phase after which the request goes no further. */
export type GatewayResponseType =
  | 'ACCESS_DENIED'
  | 'AUTHORIZER_CONFIGURATION_ERROR'
  | 'DEFAULT_5XX'
  | 'INVALID_API_KEY'
  | 'MISSING_AUTHENTICATION_TOKEN'
  | 'UNAUTHORIZED'
