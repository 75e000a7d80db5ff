import { stringifyExactJson } from '../exact-json.ts'
import type { GatewayResult } from './gateway-event.ts'

/** What an operation answers when it succeeds. A refusal is a thrown ServiceError. */
export interface Answer {
  readonly status: 200 | 201
  readonly body: unknown
  readonly headers?: Readonly<Record<string, string>>
}

export const ok = (body: unknown, headers: Readonly<Record<string, string>> = {}): Answer => ({
  status: 200,
  body,
  headers,
})

export const created = (body: unknown, headers: Readonly<Record<string, string>> = {}): Answer => ({
  status: 201,
  body,
  headers,
})

/** The form that API Gateway takes. It may hold no other field (Lambda proxy integration output format). */
export const gatewayResult = (
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): GatewayResult => ({
  statusCode: status,
  headers: { 'Content-Type': 'application/json', ...headers },
  body: stringifyExactJson(body),
})
