import type { ApiMethod, ApiResource } from '../template/rest-api.ts'

/** Each name once, with all its values in their order. Header names keep the case they came in. */
export type MultiValues = ReadonlyMap<string, readonly string[]>

/** A request before its body has been read: enough to respond to it. */
export interface RequestHead {
  readonly requestId: string
  readonly extendedRequestId: string
  /** The caller's `X-Amzn-Trace-Id`, or a new one. */
  readonly traceId: string
  /** Milliseconds since the Unix epoch. */
  readonly receivedAt: number
  readonly httpMethod: string
  /** As in the request line, with the stage, without the query. */
  readonly rawPath: string
  readonly rawQuery: string
  readonly headers: MultiValues
  readonly protocol: string
  readonly sourceIp: string
}

/** A request whose body has been read. */
export interface Received extends RequestHead {
  readonly body: string | undefined
}

/** A request for which the REST API has a method. */
export interface Routed extends Received {
  readonly resource: ApiResource
  readonly method: ApiMethod
  /** Without the stage, percent-encoded as sent, with the slashes at its end. */
  readonly path: string
  /** Percent-encoded as sent. */
  readonly pathParameters: Readonly<Record<string, string>>
  readonly query: MultiValues
}

/** A request that its authorizer allows, or that needs none. */
export interface Authorized extends Routed {
  readonly principalId: string | undefined
  /** The values of the authorizer's context, as strings. */
  readonly authorizerContext: Readonly<Record<string, string>>
  readonly usageIdentifierKey: string | undefined
}

/** A request within the limits of its usage plan, or of a method that needs no API key. */
export interface Metered extends Authorized {
  readonly apiKeyName: string | undefined
}

/** What is sent to the caller. A header may be there twice. */
export interface HttpResponse {
  readonly status: number
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body: string
}
