import { randomUUID } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import { expect } from 'vitest'
import type { KeyOrder } from '../../infra/commands/keys/issue-key.ts'
import { waitIfDayEndsSoon } from '../fixtures/service/clock.ts'
import { checkResponse, findOperation, type SeenResponse } from './check-response.ts'

/** A request and the response that it must get. */
export interface Step {
  /**
   * Method and target of the request, such as `GET /pets?limit=2`.
   *
   * The target, the headers, the body and the expected texts may contain placeholders:
   *
   * - `{id}`: id of the first pet that the scenario added
   * - `{encodedId}`: the same id with each digit percent-encoded
   * - `{next}`: address of the next page
   * - `{first}`: text of the first response of the scenario
   * - `{key}`: the usual API key
   * - `{unique}`: a text that no other run of a scenario has
   */
  readonly send: string
  /** API key of the request; `null` for none. @default `usual` */
  readonly key?: KeyName | null
  readonly headers?: Readonly<Record<string, string>>
  /** Body of the request. Text and bytes are sent as they are, and every other value as JSON. */
  readonly body?: unknown
  /** Number of times that the request is sent. Only the last response is checked. @default 1 */
  readonly times?: number
  /**
   * Whether the response is a list that must have pets of earlier steps. Lists are some seconds late, so the request is
   * sent again until the response is right.
   */
  readonly mayBeLate?: boolean

  /** Status of the response. */
  readonly status: number
  /** Code of the error. */
  readonly code?: string
  /** Text that the message of the error contains. */
  readonly messageContains?: string
  /** Headers of the response: each is a whole value or a pattern, or `null` for a header that is missing. */
  readonly responseHeaders?: Readonly<Record<string, string | RegExp | null>>
  /** Parsed body of the response, or a part of it, also with vitest's matchers. */
  readonly responseBody?: unknown
  /** Exact text of the body. */
  readonly responseText?: string
  /** Text that the body contains. */
  readonly responseContains?: string
}

/** Requests that are sent one after the other, and their responses. */
export interface Scenario {
  readonly title: string
  readonly steps: readonly Step[]
}

/** `usual` and `other` may do everything. `one a day` may make one request. `reader` may only read. */
export type KeyName = 'usual' | 'other' | 'one a day' | 'reader'

const fullAccess = {
  plan: 'enterprise',
  limits: { perMinute: 100_000, perDay: 1_000_000 },
  scope: 'read-write',
} as const

/** Orders by which the keys are issued. */
export const keyOrders: Readonly<Record<KeyName, Omit<KeyOrder, 'owner'>>> = {
  usual: fullAccess,
  other: fullAccess,
  'one a day': { ...fullAccess, limits: { perMinute: 1_000, perDay: 1 } },
  reader: { ...fullAccess, scope: 'read' },
}

interface ApiRequest {
  readonly method: string
  /** Address, or path and query below the base URL. */
  readonly target: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: NonNullable<RequestInit['body']> | undefined
}

/** The API under test. */
export interface Api {
  /** The key `usual`, which all scenarios share. */
  readonly usual: string
  /** Issues one of the other keys. Each scenario has its own. */
  readonly issue: (name: KeyName) => Promise<string>
  readonly send: (request: ApiRequest) => Promise<SeenResponse>
}

/** Creates a client for the API at a base URL. */
export const createApiClient = (baseUrl: string, keys: Omit<Api, 'send'>): Api => ({
  ...keys,
  send: async ({ method, target, headers, body }) => {
    const url = target.startsWith('http') ? target : baseUrl + target
    const response = await fetch(url, { method, headers, ...(body !== undefined && { body }) })
    return { status: response.status, headers: response.headers, text: await response.text() }
  },
})

/** Tells whether a scenario needs keys that must be issued for it. */
export const needsKeys = ({ steps }: Scenario): boolean =>
  steps.some(({ key = 'usual' }) => key !== null && key !== 'usual')

/** Tells whether a scenario adds a pet. */
export const addsPets = ({ steps }: Scenario): boolean => steps.some(({ status }) => status === 201)

/** Tells whether a scenario needs a usual key with the scope `read-write`, because it changes something with it. */
export const needsWriteScope = ({ steps }: Scenario): boolean =>
  steps.some(({ send, key = 'usual' }) => {
    const [method = '', target = ''] = send.split(' ')
    return key === 'usual' && method !== 'GET' && findOperation(method, extractPath(target)) !== undefined
  })

/** Path of a target as in the contract: without the base URL, which ends with the stage `v1`, and the query. */
const extractPath = (target: string): string => {
  const pathAndQuery = target.replace(/^https?:\/\/[^/]+.*?\/v1(?=\/|$)/, '')
  return pathAndQuery.replace(/\?.*/, '')
}

/** Address of the next page, if the response has one. */
const findNextPage = (response: SeenResponse | undefined): string | undefined =>
  /<([^>]+)>; rel="next"/.exec(response?.headers.get('Link') ?? '')?.[1]

/**
 * Runs a scenario.
 *
 * @returns differences between the responses and the scenario or the contract; empty if there are none
 */
export const findFaults = async ({ steps }: Scenario, api: Api): Promise<readonly string[]> => {
  if (steps.some(({ key }) => key === 'one a day')) await waitIfDayEndsSoon()
  const unique = randomUUID()
  const issueOnce = cacheKeys(api)
  const responses: SeenResponse[] = []

  for (const [index, step] of steps.entries()) {
    const key = step.key === null ? undefined : await issueOnce(step.key ?? 'usual')
    const placeholders = createPlaceholders(api.usual, unique, responses)
    const request = createRequest(step, key, placeholders)
    const { response, fault } = await sendUntilRight(fillExpectedTexts(step, placeholders), request, api)
    responses.push(response)

    // The remaining steps depend on this one, so the scenario ends here.
    if (fault !== undefined) return [`step ${index + 1}, ${step.send}: ${fault}`]
  }
  return []
}

/** Longest time after a request for which a list may lack the pet that the request added. */
const longestListDelayMilliseconds = 30_000

/**
 * Sends the request of a step until its response is right, if the response may be late, else once.
 *
 * @returns the last response, and what is wrong with it
 */
const sendUntilRight = async (step: Step, request: ApiRequest, api: Api) => {
  const deadline = Date.now() + (step.mayBeLate ? longestListDelayMilliseconds : 0)
  for (;;) {
    const response = await sendRepeatedly(api, request, step.times ?? 1)
    const fault = findFault(step, request, response)
    if (fault === undefined || Date.now() >= deadline) return { response, fault }
    await setTimeout(200)
  }
}

/** Sends a request a number of times. @returns the last response */
const sendRepeatedly = async (api: Api, request: ApiRequest, times: number): Promise<SeenResponse> => {
  for (let time = 1; time < times; time += 1) await api.send(request)
  return api.send(request)
}

/** Message of the first check that the response does not pass, by the contract or by the step. */
const findFault = (step: Step, { method, target }: ApiRequest, response: SeenResponse): string | undefined => {
  try {
    expect(checkResponse(method, extractPath(target), response)).toEqual([])
    checkStep(step, response)
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

/** Returns a function that issues each key once, when a step first needs the key. */
const cacheKeys = (api: Api): ((name: KeyName) => Promise<string>) => {
  const keys = new Map<KeyName, string>([['usual', api.usual]])
  return async (name) => {
    const key = keys.get(name) ?? (await api.issue(name))
    keys.set(name, key)
    return key
  }
}

/** Text of each placeholder. A placeholder that has no text yet stays in the request, where a failure shows it. */
type Placeholders = Readonly<Record<string, string | undefined>>

const createPlaceholders = (usualKey: string, unique: string, responses: readonly SeenResponse[]): Placeholders => {
  const id = findAddedId(responses)
  return {
    id,
    // The digit 7 is percent-encoded as %37.
    encodedId: id?.replaceAll(/\d/g, '%3$&'),
    next: findNextPage(responses.at(-1)),
    first: responses[0]?.text,
    key: usualKey,
    unique,
  }
}

/** Finds the id of the first pet that was added. */
const findAddedId = (responses: readonly SeenResponse[]): string | undefined => {
  const added = responses.find(({ status }) => status === 201)
  return /^\{"id":(\d+),/.exec(added?.text ?? '')?.[1]
}

const fillPlaceholders = (text: string, placeholders: Placeholders): string =>
  text.replaceAll(/\{(\w+)\}/g, (all, name) => placeholders[name] ?? all)

const fillExpectedTexts = (step: Step, placeholders: Placeholders): Step => {
  const { responseText, responseContains } = step
  return {
    ...step,
    ...(responseText !== undefined && { responseText: fillPlaceholders(responseText, placeholders) }),
    ...(responseContains !== undefined && { responseContains: fillPlaceholders(responseContains, placeholders) }),
  }
}

const createRequest = (step: Step, key: string | undefined, placeholders: Placeholders): ApiRequest => {
  const fill = (text: string): string => fillPlaceholders(text, placeholders)
  const [method = '', target = ''] = fill(step.send).split(' ')

  // Object.fromEntries keeps a header named __proto__, which an assignment would lose.
  const ownHeaders = Object.entries(step.headers ?? {}).map(([name, value]) => [name, fill(value)] as const)
  const headers = {
    ...(key !== undefined && { Authorization: `Bearer ${key}` }),
    ...(step.body !== undefined && { 'Content-Type': 'application/json' }),
    ...Object.fromEntries(ownHeaders),
  }

  return { method, target, headers, body: createBody(step.body, fill) }
}

const createBody = (body: unknown, fill: (text: string) => string): ApiRequest['body'] => {
  if (body === undefined || body instanceof Uint8Array) return body
  return fill(typeof body === 'string' ? body : JSON.stringify(body))
}

/** @throws AssertionError when the response is not the one that the step describes */
const checkStep = (step: Step, response: SeenResponse): void => {
  const { status, headers, text } = response
  expect(status, text.slice(0, 200)).toBe(step.status)
  expect(headers.has('X-Injected'), 'no request adds a header').toBe(false)
  // JSON may escape half of a surrogate pair, which isWellFormed does not see.
  expect(text.isWellFormed() && !/\\ud[89a-f]/i.test(text), 'the body is well-formed').toBe(true)
  if (status >= 400) expect(text.length, 'an error is short').toBeLessThanOrEqual(400)

  const body: unknown = /^[[{]/.test(text) ? JSON.parse(text) : undefined
  if (step.code !== undefined) expect(body).toMatchObject({ code: step.code, status })
  if (step.messageContains !== undefined) {
    expect(body).toMatchObject({ message: expect.stringContaining(step.messageContains) })
  }
  if (step.responseBody !== undefined) expect(body).toMatchObject(Object(step.responseBody))
  if (step.responseText !== undefined) expect(text).toBe(step.responseText)
  if (step.responseContains !== undefined) expect(text).toContain(step.responseContains)
  checkHeaders(step.responseHeaders ?? {}, headers)
}

const checkHeaders = (expected: NonNullable<Step['responseHeaders']>, headers: Headers): void => {
  for (const [name, value] of Object.entries(expected)) {
    if (value instanceof RegExp) expect(headers.get(name), name).toMatch(value)
    else expect(headers.get(name), name).toBe(value)
  }
}
