import { checkResponse } from '../../fixtures/check-response.ts'
import type { Findings } from './findings.ts'

export interface CheckedRequest {
  /** What the report calls it. */
  readonly name: string
  readonly method?: string
  /** Below the base URL. */
  readonly target: string
  readonly apiKey?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  /** The statuses that are right. */
  readonly expected: readonly number[]
}

export interface CheckedResponse {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

/** Sends requests to an environment, and writes down each seen that the contract or the test does not allow. */
export const createSender =
  (baseUrl: string, findings: Findings) =>
  async ({
    name,
    method = 'GET',
    target,
    apiKey,
    headers = {},
    body,
    expected,
  }: CheckedRequest): Promise<CheckedResponse> => {
    const authorization: Record<string, string> = apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }
    const response = await fetch(baseUrl + target, {
      method,
      headers: { ...authorization, ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
      ...(body === undefined ? {} : { body }),
    })
    const seen = { status: response.status, headers: response.headers, text: await response.text() }
    findings.count(`${name} ${seen.status}`)
    if (!expected.includes(seen.status)) findings.fault(`${name}: got ${seen.status}: ${seen.text.slice(0, 200)}`)
    for (const fault of checkResponse(method, target.replace(/\?.*/, ''), seen)) findings.fault(`${name}: ${fault}`)
    return seen
  }

export type Send = ReturnType<typeof createSender>
