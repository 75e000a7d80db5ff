import { expect, inject, it } from 'vitest'
import { checkResponse } from '../fixtures/check-response.ts'
import { type Api, faultsOf, type KeyName, keyOrders, needsKeys, pathOf, type Scenario } from '../requests/scenario.ts'
import { canIssueKeys, issueKey } from './issue-key.ts'

/** The base URL of the API under test, which ends in `/v1`. */
export const baseUrl = inject('baseUrl')

/** A key that may make more requests than the suite does. */
export const apiKey = inject('apiKey')

export const isOnAws = inject('environment') !== null

export interface Call {
  /** `null` sends no Authorization header. */
  readonly key?: string | null
  readonly headers?: Readonly<Record<string, string>>
  /** Sent as JSON unless it is text, which is sent as it is. */
  readonly body?: unknown
}

export interface ApiResponse {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** The body as JSON, whose shape the contract has been asked about. */
  readonly json: <Shape>() => Shape
}

export interface Pet {
  readonly id: number
  readonly name: string
  readonly categoryId: number
  readonly status: string
}

export interface ErrorBody {
  readonly code: string
  readonly message: string
  readonly status: number
}

const send: Api['send'] = async ({ method, target, headers, body }) => {
  const request = { method, headers, ...(body !== undefined && { body }) }
  const response = await fetch(target.startsWith('http') ? target : baseUrl + target, request)
  const text = await response.text()
  if (response.status === 201) noteCreated(text)
  return { status: response.status, headers: response.headers, text }
}

/** Makes a request, and checks the response against the contract, whatever the test asks of it besides. */
export const call = async (method: string, target: string, options: Call = {}): Promise<ApiResponse> => {
  const { key = apiKey, body } = options
  const headers = {
    ...(key !== null && { Authorization: `Bearer ${key}` }),
    ...(body !== undefined && { 'Content-Type': 'application/json' }),
    ...options.headers,
  }
  const text = typeof body === 'string' || body === undefined ? body : JSON.stringify(body)
  const response = await send({ method, target, headers, body: text })
  expect(checkResponse(method, pathOf(target), response)).toEqual([])
  return { ...response, json: () => JSON.parse(response.text) }
}

/** One test for each scenario. Those that need keys of their own are skipped where none can be issued. */
export const itResponds = (scenarios: readonly Scenario[]): void => {
  for (const scenario of scenarios) {
    it.skipIf(needsKeys(scenario) && !canIssueKeys)(scenario.title, async () => {
      const keys = new Map<KeyName, Promise<{ readonly apiKey: string }>>([['usual', Promise.resolve({ apiKey })]])
      const key = async (name: KeyName) => {
        const issued = keys.get(name) ?? issueKey('enterprise', ...keyOrders[name])
        keys.set(name, issued)
        return (await issued).apiKey
      }
      expect(await faultsOf(scenario, { send, key })).toEqual([])
    })
  }
}

/** Sends many requests at once; to AWS four at a time, because a new account runs ten functions at once. */
export const together = async (count: number, request: () => Promise<ApiResponse>): Promise<readonly ApiResponse[]> => {
  const responses: Promise<ApiResponse>[] = []
  const caller = async (): Promise<void> => {
    while (responses.length < count) await responses[responses.push(request()) - 1]
  }
  await Promise.all(Array.from({ length: isOnAws ? 4 : count }, caller))
  return Promise.all(responses)
}

const noteCreated = (pet: string): void => {
  const [, id] = /^\{"id":(\d+),/.exec(pet) ?? []
  if (id !== undefined) addedPets.push(id)
}

/** The ids of the pets that were added since `setup/remove-added.ts` looked. */
export const addedPets: string[] = []

/** The address of the next page, if there is one. */
export const nextPage = ({ headers }: ApiResponse): string | undefined =>
  /<([^>]+)>; rel="next"/.exec(headers.get('Link') ?? '')?.[1]

export const createPet = async (pet: { name: string; categoryId: number; status?: string }): Promise<Pet> => {
  const response = await call('POST', '/pets', { body: pet })
  expect(response.status).toBe(201)
  return response.json()
}

const minute = (): number => Math.floor(Date.now() / 60_000)

/** Runs a test, and again where it failed after a window rolled over within it. */
export const withinOneMinute = (test: () => Promise<void>) => async (): Promise<void> => {
  const begun = minute()
  try {
    await test()
  } catch (error) {
    if (minute() === begun) throw error
    await withinOneMinute(test)()
  }
}
