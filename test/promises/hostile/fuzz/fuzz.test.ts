import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readContract } from '../../../../infra/contract/contract.ts'
import { checkResponse, type SeenResponse } from '../../../fixtures/check-response.ts'
import { sized } from '../../../fixtures/size.ts'
import { localApi } from '../../../unit/infra/local/local-api.ts'
import { pathOf } from '../caller.ts'
import { send } from '../connection.ts'
import type { HostileRequest } from './garbage.ts'
import { readText } from './json-text.ts'
import { watchPets } from './pets-kept.ts'
import { requests } from './requests.ts'
import { isObject } from './schema.ts'

/*
 * PET_FUZZ_REQUESTS=100000 makes it the nightly run: that many requests, others every time, with its progress told.
 * PET_FUZZ_SEED=N repeats a run.
 */
const { PET_FUZZ_REQUESTS: nightly, PET_FUZZ_SEED } = process.env
const count = Number(nightly ?? sized(300, 1_000))
const seed = Number(PET_FUZZ_SEED ?? (nightly === undefined ? 20_261_121 : Date.now() % 2 ** 31))
const report = (line: string): void => {
  if (nightly !== undefined) console.error(line)
}

/** How many requests are under way at once, each of a sequence of its own that the seed alone decides. */
const lanes = 16

const api = localApi()

test(`${count} valid, broken and garbage requests get responses of the contract, and lose or add no pet`, {
  timeout: 300_000 + count * 60,
}, async () => {
  report(`The seed is ${seed}.`)
  const { port, apiKey, lines } = api()
  const headers = [['Authorization', `Bearer ${apiKey}`]] as const
  const pets = await watchPets((target) => send(port, { method: 'GET', target, headers }))
  /** How many requests of each kind got each response. */
  const tally = new Map<string, number>()
  let sent = 0
  const check = async (request: HostileRequest): Promise<void> => {
    const response = await send(port, request)
    const outcome = `${request.kind}: ${response.status} ${codeOf(response)}`.trimEnd()
    tally.set(outcome, (tally.get(outcome) ?? 0) + 1)
    sent += 1
    if (sent % 5_000 === 0) report(`${sent} of ${count} requests sent`)
    const faults = faultsOf(request, response)
    if (faults.length > 0) throw new Error(faults.join('\n'))
    if (response.status === 201) await pets.add(request, response)
  }
  const property = fc.asyncProperty(requests(readContract(), apiKey), check)
  const numRuns = Math.ceil(count / lanes)
  await Promise.all(Array.from({ length: lanes }, (_, lane) => fc.assert(property, { seed: seed + lane, numRuns })))
  await pets.compareWithList()
  for (const [outcome, times] of [...tally].toSorted()) report(`${String(times).padStart(8)}  ${outcome}`)
  expect(lines).toEqual([])
})

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
