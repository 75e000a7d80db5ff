import type { ApiMethod, ApiResource } from '../template/rest-api.ts'

/** Each name once, with all its values in their order. Header names keep the case they came in. */
export type MultiValues = ReadonlyMap<string, readonly string[]>

/** A request as it came. */
export interface Received {
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
  /** What its function is told of the authorizer's decision; undefined without an authorizer. */
  readonly authorizer: Readonly<Record<string, string | number | undefined>> | undefined
}

/** What is sent to the caller. A header may be there twice. */
export interface HttpResponse {
  readonly status: number
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body: string
}

/** The last value of a header, whatever the case of its name. */
export const headerOf = (headers: MultiValues, name: string): string | undefined =>
  [...headers].find(([other]) => other.toLowerCase() === name.toLowerCase())?.[1].at(-1)

export const traceIdHeader = 'X-Amzn-Trace-Id'
