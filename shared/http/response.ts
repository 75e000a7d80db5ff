import { stringifyExactJson } from '../exact-json.ts'
import type { GatewayResult } from './gateway-event.ts'

/** The response of an operation that succeeds. One that refuses throws a ServiceError. */
export interface OperationResponse {
  readonly status: 200 | 201
  readonly body: unknown
  readonly headers?: Readonly<Record<string, string>>
}

export const ok = (body: unknown, headers: Readonly<Record<string, string>> = {}): OperationResponse => ({
  status: 200,
  body,
  headers,
})

export const created = (body: unknown, headers: Readonly<Record<string, string>> = {}): OperationResponse => ({
  status: 201,
  body,
  headers,
})

/** The result in the format of API Gateway, which allows no other field ("Lambda proxy integration output format"). */
export const gatewayResult = (
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): GatewayResult => ({
  statusCode: status,
  headers: { 'Content-Type': 'application/json', ...headers },
  body: stringifyExactJson(body),
})
