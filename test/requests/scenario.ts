import { randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import type { KeyOrder } from '../../infra/operations/keys/key.ts'
import { checkResponse, type SeenResponse } from './check-response.ts'

/** A request and the response that it must get. */
export interface Step {
  /**
   * The method and the target, such as `GET /pets?limit=2`. In it, in the headers and in the body `{id}` is the id of the
   * first pet that the scenario added, `{encodedId}` the same with each digit percent-encoded, `{next}` the address of the
   * next page, `{key}` the usual API key, and `{unique}` a text of the scenario's own.
   */
  readonly send: string
  /** @default `usual` */
  readonly key?: KeyName | null
  readonly headers?: Readonly<Record<string, string>>
  /** Sent as JSON unless it is text or bytes, which are sent as they are. */
  readonly body?: unknown
  /** How often it is sent. Only the last response is looked at. @default 1 */
  readonly times?: number
  readonly status: number
  /** Of the error. */
  readonly code?: string
  /** What the message of the error has in it. */
  readonly says?: string
  /** Headers of the response: the whole text or a pattern; `null` for none. */
  readonly with?: Readonly<Record<string, string | RegExp | null>>
  /** The body, or a part of it, also with vitest's matchers. */
  readonly json?: unknown
  /** The body, to the letter. `{first}` is that of the first step. */
  readonly text?: string
}

/** Requests that follow each other, and what they show. */
export interface Scenario {
  readonly title: string
  readonly steps: readonly Step[]
}

export const scenario = (title: string, ...steps: readonly Step[]): Scenario => ({ title, steps })

/** `usual` may do everything, `other` too. `one a day` may make one request, and `reader` may only read. */
export type KeyName = 'usual' | 'other' | 'one a day' | 'reader'

const ample = { perMinute: 100_000, perDay: 1_000_000 }
const whole = { plan: 'enterprise', allowance: ample, scope: 'read-write' } as const

/** What each key is issued with. */
export const keyOrders: Readonly<Record<KeyName, Omit<KeyOrder, 'owner'>>> = {
  usual: whole,
  other: whole,
  'one a day': { ...whole, allowance: { perMinute: 1_000, perDay: 1 } },
  reader: { ...whole, scope: 'read' },
}

/** The path of a target as the contract has it: below the base URL, without the query. */
export const extractPath = (target: string): string =>
  target.replace(/^https?:\/\/[^/]+.*?\/v1(?=\/|$)/, '').replace(/\?.*/, '')

/** The API under test. */
export interface Api {
  /** The key of all scenarios. */
  readonly usual: string
  /** Issues the others: each scenario has its own. */
  readonly issue: (name: KeyName) => Promise<string>
  readonly send: (request: {
    readonly method: string
    readonly target: string
    readonly headers: Readonly<Record<string, string>>
    readonly body: NonNullable<RequestInit['body']> | undefined
  }) => Promise<SeenResponse>
}

/** The API at a base URL. */
export const createApiClient = (baseUrl: string, keys: Omit<Api, 'send'>): Api => ({
  ...keys,
  send: async ({ method, target, headers, body }) => {
    const request = { method, headers, ...(body !== undefined && { body }) }
    const response = await fetch(target.startsWith('http') ? target : baseUrl + target, request)
    return { status: response.status, headers: response.headers, text: await response.text() }
  },
})

/** Whether a scenario needs keys that must be issued for it. */
export const needsKeys = ({ steps }: Scenario): boolean => steps.some(({ key }) => (key ?? 'usual') !== 'usual')

/** Whether a scenario adds a pet. */
export const addsPets = ({ steps }: Scenario): boolean => steps.some(({ status }) => status === 201)

/**
 * What is wrong with the responses of an API, by the scenario and by the contract: nothing is an empty list. Where a day of
 * UTC ends meanwhile, and with it the limits of that day, the scenario is run again.
 */
export const findFaults = async (scenario: Scenario, api: Api): Promise<readonly string[]> => {
  const day = new Date().getUTCDate()
  const faults = await faultsInRun(scenario, api)
  return faults.length > 0 && new Date().getUTCDate() !== day ? findFaults(scenario, api) : faults
}

const faultsInRun = async ({ steps }: Scenario, api: Api): Promise<readonly string[]> => {
  const unique = randomUUID()
  const keys = new Map<KeyName, string>([['usual', api.usual]])
  const seen: SeenResponse[] = []
  for (const [index, step] of steps.entries()) {
    const values: Readonly<Record<string, string>> = {
      ...{ unique, key: api.usual, id: idOf(seen), next: findNextPage(seen.at(-1)) ?? '' },
      encodedId: idOf(seen).replaceAll(/\d/g, '%3$&'),
    }
    const filled = (text: string): string => text.replaceAll(/\{(\w+)\}/g, (all, name) => values[name] ?? all)
    const [method = '', target = ''] = filled(step.send).split(' ')
    const { key: name = 'usual', body: given, times = 1 } = step
    const key = name === null ? undefined : (keys.get(name) ?? (await api.issue(name)))
    if (name !== null && key !== undefined) keys.set(name, key)
    const headers = {
      ...(key !== undefined && { Authorization: `Bearer ${key}` }),
      ...(given !== undefined && { 'Content-Type': 'application/json' }),
      ...Object.fromEntries(Object.entries(step.headers ?? {}).map(([header, value]) => [header, filled(value)])),
    }
    const isSentAsIs = given === undefined || given instanceof Uint8Array
    const body = isSentAsIs ? given : filled(typeof given === 'string' ? given : JSON.stringify(given))
    for (let time = 1; time < times; time += 1) await api.send({ method, target, headers, body })
    const response = await api.send({ method, target, headers, body })
    seen.push(response)
    try {
      expect(checkResponse(method, extractPath(target), response)).toEqual([])
      check(step, response, seen[0]?.text ?? '')
    } catch (error) {
      // The steps that follow rest on this one.
      return [`step ${index + 1}, ${step.send}: ${error instanceof Error ? error.message : error}`]
    }
  }
  return []
}

const idOf = (seen: readonly SeenResponse[]): string =>
  seen.flatMap(({ status, text }) => (status === 201 ? (/^\{"id":(\d+),/.exec(text)?.[1] ?? []) : []))[0] ?? ''

/** The address of the next page, where the response has one. */
export const findNextPage = (response: SeenResponse | undefined): string | undefined =>
  /<([^>]+)>; rel="next"/.exec(response?.headers.get('Link') ?? '')?.[1]

/** @throws AssertionError when the response is not what the step says */
const check = (step: Step, { status, headers, text }: SeenResponse, first: string): void => {
  expect(status, text.slice(0, 200)).toBe(step.status)
  expect(headers.has('X-Injected')).toBe(false)
  expect(text.isWellFormed() && !/\\ud[89a-f]/i.test(text), 'it is well-formed').toBe(true)
  if (status >= 400) expect(text.length, 'an error is short').toBeLessThanOrEqual(400)
  const json: unknown = /^[[{]/.test(text) ? JSON.parse(text) : undefined
  if (step.code !== undefined) expect(json).toMatchObject({ code: step.code, status })
  if (step.says !== undefined) expect(json).toMatchObject({ message: expect.stringContaining(step.says) })
  if (step.json !== undefined) expect(json).toMatchObject(Object(step.json))
  if (step.text !== undefined) expect(text).toBe(step.text.replace('{first}', first))
  for (const [name, value] of Object.entries(step.with ?? {})) {
    if (value instanceof RegExp) expect(headers.get(name), name).toMatch(value)
    else expect(headers.get(name), name).toBe(value)
  }
}
