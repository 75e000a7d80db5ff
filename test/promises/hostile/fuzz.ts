import fc from 'fast-check'
import { readContract } from '../../../infra/contract/contract.ts'
import { checkResponse, type SeenResponse } from '../../fixtures/check-response.ts'
import type { HostileTarget } from './environment.ts'
import { type HostileRequest, pathOf } from './hostile-request.ts'
import { readText } from './json-text.ts'
import { watchPets } from './pets-kept.ts'
import { requests } from './requests.ts'
import { isObject } from './schema.ts'
import { createSender } from './send.ts'

export interface FuzzOptions {
  /** How many requests to make up; reading back what they create adds some. */
  readonly count: number
  readonly seed: number
  /** How many are under way at once. */
  readonly lanes: number
  readonly report: (line: string) => void
}

/** How many requests of each kind got each response. */
export type Tally = ReadonlyMap<string, number>

/**
 * Sends made-up requests, each lane a sequence of its own that the seed alone decides.
 *
 * @throws Error with the smallest request that fails, how to repeat it, and what is wrong with its response.
 */
export const fuzz = async ({ baseUrl, apiKey }: HostileTarget, options: FuzzOptions): Promise<Tally> => {
  const { count, seed, lanes, report } = options
  const sender = createSender(baseUrl, lanes)
  const headers = [['Authorization', `Bearer ${apiKey}`]] as const
  const pets = await watchPets((target) => sender.send({ method: 'GET', target, headers }))
  const tally = new Map<string, number>()
  let sent = 0
  const check = async (request: HostileRequest): Promise<void> => {
    const response = await sender.send(request)
    const outcome = `${request.kind}: ${response.status} ${codeOf(response)}`.trimEnd()
    tally.set(outcome, (tally.get(outcome) ?? 0) + 1)
    sent += 1
    if (sent % 5_000 === 0) report(`${sent} of ${count} requests sent`)
    const faults = faultsOf(request, response)
    if (faults.length > 0) throw new Error(faults.join('\n'))
    if (response.status === 201) await pets.add(request, response)
  }
  try {
    const property = fc.asyncProperty(requests(readContract(), apiKey), check)
    const numRuns = Math.ceil(count / lanes)
    await Promise.all(Array.from({ length: lanes }, (_, lane) => fc.assert(property, { seed: seed + lane, numRuns })))
    await pets.compareWithList()
  } finally {
    sender.close()
  }
  return tally
}

const faultsOf = (request: HostileRequest, response: SeenResponse): readonly string[] => {
  const { status, text } = response
  const isRefused = status >= 400
  const isRightlyRefused = reasonsBeyondSchemas.has(codeOf(response))
  return [
    ...(status >= 500 && status !== 501 ? [`The response is ${status}: ${text}`] : []),
    ...(request.kind === 'valid' && isRefused && !isRightlyRefused ? [`A valid request is refused: ${text}`] : []),
    ...(request.kind === 'broken' && !isRefused ? [`A broken request got ${status}: ${text}`] : []),
    ...(internals.test(text) && isRefused ? [`The response tells internals: ${text}`] : []),
    ...checkResponse(request.method, pathOf(request.target), response),
  ]
}

/** Why an operation may refuse a request that its schemas allow. */
const reasonsBeyondSchemas = new Set([
  'invalid_cursor',
  'pet_not_found',
  'idempotency_key_reused',
  'idempotency_key_in_use',
  'not_implemented',
])

/** What only the inside of the service says: its files, its packages and its store. */
const internals = /node_modules|node:|\.[jt]s:\d|\bat \w+ \(|dynamo|middy|ajv|Exception|TypeError|SyntaxError|ECONN/i

const codeOf = ({ text }: SeenResponse): string => {
  const body = readText(text)
  return body !== undefined && isObject(body) && typeof body['code'] === 'string' ? body['code'] : ''
}
