import { randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import type { Scope } from '../../shared/api-keys/api-key-record.ts'
import type { Allowance } from '../../shared/api-keys/plans.ts'
import { checkResponse, type SeenResponse } from '../fixtures/check-response.ts'

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
  /** The body is a page of one pet or more, and of no more than this. */
  readonly atMost?: number
  /** The body, to the letter. `{first}` is that of the first step. */
  readonly text?: string
}

/** Requests that follow each other, and what they show. */
export interface Scenario {
  readonly title: string
  readonly steps: readonly Step[]
}

/** `usual` may do everything, `other` too. `one a day` may make one request, and `reader` may only read. */
export type KeyName = 'usual' | 'other' | 'one a day' | 'reader'

const ample = { perMinute: 100_000, perDay: 1_000_000 }

/** What each key may do. Each scenario has its own, but for the usual one. */
export const keyOrders: Readonly<Record<KeyName, readonly [Allowance, Scope]>> = {
  usual: [ample, 'read-write'],
  other: [ample, 'read-write'],
  'one a day': [{ perMinute: 1_000, perDay: 1 }, 'read-write'],
  reader: [ample, 'read'],
}

/** The path of a target as the contract has it: below the base URL, without the query. */
export const pathOf = (target: string): string =>
  target.replace(/^https?:\/\/[^/]+.*?\/v1(?=\/|$)/, '').replace(/\?.*/, '')

/** The API under test. */
export interface Api {
  send(request: {
    readonly method: string
    readonly target: string
    readonly headers: Readonly<Record<string, string>>
    readonly body: NonNullable<RequestInit['body']> | undefined
  }): Promise<SeenResponse>
  /** The key of that name: the same one whenever a scenario asks. */
  key(name: KeyName): Promise<string>
}

/** The API at a base URL. */
export const apiAt = (baseUrl: string, key: Api['key']): Api => ({
  send: async ({ method, target, headers, body }) => {
    const request = { method, headers, ...(body !== undefined && { body }) }
    const response = await fetch(target.startsWith('http') ? target : baseUrl + target, request)
    return { status: response.status, headers: response.headers, text: await response.text() }
  },
  key,
})

/** Whether a scenario needs keys that must be issued for it. */
export const needsKeys = ({ steps }: Scenario): boolean => steps.some(({ key }) => (key ?? 'usual') !== 'usual')

/** Whether a scenario adds a pet. */
export const addsPets = ({ steps }: Scenario): boolean => steps.some(({ status }) => status === 201)

/** What is wrong with the responses of an API, by the scenario and by the contract: nothing is an empty list. */
export const faultsOf = async ({ steps }: Scenario, api: Api): Promise<readonly string[]> => {
  const unique = randomUUID()
  const usual = await api.key('usual')
  const seen: SeenResponse[] = []
  const faults: string[] = []
  for (const [index, step] of steps.entries()) {
    const values: Readonly<Record<string, string>> = {
      ...{ unique, key: usual, id: idOf(seen), next: nextOf(seen) },
      encodedId: idOf(seen).replaceAll(/\d/g, '%3$&'),
    }
    const filled = (text: string): string => text.replaceAll(/\{(\w+)\}/g, (all, name) => values[name] ?? all)
    const [method = '', target = ''] = filled(step.send).split(' ')
    const { key = 'usual', body } = step
    const headers = {
      ...(key !== null && { Authorization: `Bearer ${await api.key(key)}` }),
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
      ...Object.fromEntries(Object.entries(step.headers ?? {}).map(([name, value]) => [name, filled(value)])),
    }
    const sent =
      body === undefined || body instanceof Uint8Array
        ? body
        : filled(typeof body === 'string' ? body : JSON.stringify(body))
    for (let time = 1; time < (step.times ?? 1); time += 1) await api.send({ method, target, headers, body: sent })
    const response = await api.send({ method, target, headers, body: sent })
    seen.push(response)
    const wrong = [
      ...checkResponse(method, pathOf(target), response),
      ...differences(step, response, seen[0]?.text ?? ''),
    ]
    faults.push(...wrong.map((fault) => `step ${index + 1}, ${step.send}: ${fault}`))
    // The steps that follow rest on this one.
    if (wrong.length > 0) return faults
  }
  return faults
}

const idOf = (seen: readonly SeenResponse[]): string =>
  seen.flatMap(({ status, text }) => (status === 201 ? (/^\{"id":(\d+),/.exec(text)?.[1] ?? []) : []))[0] ?? ''

const nextOf = (seen: readonly SeenResponse[]): string =>
  /<([^>]+)>; rel="next"/.exec(seen.at(-1)?.headers.get('Link') ?? '')?.[1] ?? ''

const differences = (step: Step, { status, headers, text }: SeenResponse, first: string): readonly string[] => {
  if (status !== step.status) return [`${status} ${text.slice(0, 200)}`]
  const json: unknown = /^[[{]/.test(text) ? JSON.parse(text) : undefined
  return [
    ...(headers.has('X-Injected') ? ['it has the header X-Injected'] : []),
    ...(status >= 400 && text.length > 400 ? [`its body has ${text.length} characters`] : []),
    ...(text.isWellFormed() && !/\\ud[89a-f]/i.test(text) ? [] : ['its text is not well-formed']),
    ...reasonsOf(() => step.code === undefined || expect(json).toMatchObject({ code: step.code, status })),
    ...reasonsOf(
      () => step.says === undefined || expect(json).toMatchObject({ message: expect.stringContaining(step.says) }),
    ),
    ...reasonsOf(() => step.json === undefined || expect(json).toMatchObject(Object(step.json))),
    ...reasonsOf(() => step.atMost === undefined || expect([json].flat().length).toBeLessThanOrEqual(step.atMost)),
    ...reasonsOf(() => step.atMost === undefined || expect(json).not.toEqual([])),
    ...reasonsOf(() => step.text === undefined || expect(text).toBe(step.text.replace('{first}', first))),
    ...Object.entries(step.with ?? {}).flatMap(([name, value]) =>
      reasonsOf(() => {
        const actual = headers.get(name)
        if (value instanceof RegExp) expect(actual, name).toMatch(value)
        else expect(actual, name).toBe(value)
      }),
    ),
  ]
}

const reasonsOf = (check: () => unknown): readonly string[] => {
  try {
    check()
    return []
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)]
  }
}
