import { setTimeout } from 'node:timers/promises'
import { expect } from 'vitest'
import { readContract } from '../../../../../infra/contract/contract.ts'
import { buildGuide } from '../../../../../infra/reference/guide.ts'
import { type ProxiedRequest, type ProxyHandler, readHeader } from '../../../../fixtures/proxy.ts'
import type { Job, NewPet, Outcome, Report } from './drivers.ts'

/** What happens to a request: it gets a canned response, or what a function does with it. */
export type Fate =
  | ProxyHandler
  | { readonly status: number; readonly headers?: Readonly<Record<string, string>>; readonly body?: unknown }

/** What a server does, what a client is asked to do, and what it must do. Every client is held to it. */
export interface Case {
  readonly title: string
  readonly options?: Partial<Job['options']>
  readonly calls: Job['calls']
  /** What happens to each request. The last one happens to all that follow, too. */
  readonly server: readonly Fate[]
  /** For each call, or the first ones: what it must match. */
  readonly outcomes?: readonly unknown[]
  /** How many requests the server sees. @default one for each call and each wait, but any number where pages are followed */
  readonly requests?: number
  /** The waits between attempts: the seconds that `Retry-After` gives, or `random`. @default none */
  readonly waits?: readonly (number | 'random')[]
  readonly also?: (run: Report & { readonly seen: readonly ProxiedRequest[] }) => void
}

/** It is passed on to the API. */
const pass: ProxyHandler = (request, forward) => forward(request)

/** It is passed on, but the response is lost. */
const loseResponse: ProxyHandler = async (request, forward) => {
  await forward(request)
  return undefined
}

const bella: NewPet = { name: 'Bella', categoryId: '1' }
const emptyPage = { status: 200, body: [] }
const created = { status: 201, body: { id: 1, name: 'Bella', categoryId: 1, status: 'available' } }

const refusal = (status: number, retryAfter?: string): Fate => ({
  status,
  ...(retryAfter !== undefined && { headers: { 'Retry-After': retryAfter } }),
  body: { code: 'a_code', message: 'Later.', status },
})

const failed = (status: number, code: string | null, retryAfter: number | null = null) => ({
  error: { status, code, retryAfter },
})

const keysOf = (seen: readonly ProxiedRequest[]) =>
  seen.filter(({ method }) => method === 'POST').map((request) => readHeader(request, 'idempotency-key'))

const underOneKey: NonNullable<Case['also']> = ({ seen }) => {
  expect([...new Set(keysOf(seen))]).toEqual([expect.stringMatching(/./)])
}

/** The statuses after which the guide says to retry. */
const retrying = buildGuide(readContract(), { baseUrl: '/v1', environment: 'local' }).find(
  ({ id }) => id === 'retrying',
)
const [sentence = ''] =
  /Retry after a response with the status [\d, ]+ or \d+/.exec(`${retrying?.content.markup}`) ?? []
const retried = (sentence.match(/\d+/g) ?? []).map(Number)
const final = [400, 401, 403, 404, 405, 413, 415, 422, 501, 502].filter((status) => !retried.includes(status))

/** Its body is too short, and then ends, never ends, or goes on for ever. */
const incomplete = (rest: () => Promise<string>): Fate => {
  const body = async function* () {
    for (yield '['; ; ) yield await rest()
  }
  return async () => ({ status: 200, headers: [], body: body() })
}

/** Responses that do not come, or not whole. */
const lost: readonly (readonly [what: string, fate: Fate])[] = [
  ['lost', loseResponse],
  ['cut off', incomplete(() => Promise.reject(new Error('cut off')))],
  ['silence', () => new Promise(() => {})],
  ['stalled', incomplete(() => new Promise(() => {}))],
  ['slow', incomplete(() => setTimeout(50, ' '))],
]

const retries: readonly Case[] = [
  ...retried.map(
    (status): Case => ({
      title: `sends a request again after ${status}, when Retry-After says or after a random time, and creates once`,
      calls: [{ page: {} }, { create: bella }],
      server: [refusal(status, '17'), emptyPage, refusal(status), refusal(status, 'soon'), created],
      outcomes: [{ pets: [] }, { pets: [bella] }],
      waits: [17, 'random', 'random'],
      also: underOneKey,
    }),
  ),
  {
    title: `sends a request once that gets ${final.join(', ')}`,
    calls: final.map((status) => (status < 404 ? { page: {} } : { create: bella })),
    server: final.map((status) => refusal(status, '1')),
    outcomes: final.map((status) => failed(status, 'a_code', 1)),
  },
  {
    title: 'gives the response after the last attempt, or before a wait that is too long, and says how long that is',
    options: { longestWaitSeconds: 16 },
    calls: [{ page: {} }, { page: {} }],
    server: [...Array(6).fill(refusal(503)), refusal(429, '17')],
    outcomes: [failed(503, 'a_code'), failed(429, 'a_code', 17)],
    waits: Array(5).fill('random'),
  },
  {
    title: 'adds a pet once when its response is lost',
    calls: [{ page: { limit: 50 } }, { create: { name: 'Once', categoryId: '1' } }, { page: { limit: 50 } }],
    server: [pass, loseResponse, loseResponse, pass],
    waits: ['random', 'random'],
    also: (run) => {
      underOneKey(run)
      const [before, added, after] = run.outcomes.map((outcome) =>
        petsOf(outcome).filter(({ name }) => name === 'Once'),
      )
      expect(after).toEqual([added, before].flat())
    },
  },
  {
    title: 'sends two creations under two keys, or the key of the caller',
    calls: [{ create: bella }, { create: bella }, ...Array(2).fill({ create: bella, idempotencyKey: 'given' })],
    server: [pass],
    also: ({ outcomes, seen }) => {
      expect(outcomes[0]).not.toEqual(outcomes[1])
      expect(outcomes[2]).toEqual(outcomes[3])
      expect(keysOf(seen).slice(2)).toEqual(['given', 'given'])
    },
  },
  ...lost.map(([name, fate]) => ({
    title: `sends a request again whose response does not come, or not whole: ${name}`,
    options: { timeoutSeconds: 0.5, attempts: 2 },
    calls: [{ create: bella }, { page: {} }],
    server: [fate, created, fate],
    outcomes: [{ pets: [bella] }, { error: 'lost' }],
    waits: ['random', 'random'] as const,
  })),
]

const petsOf = (outcome: Outcome | undefined) => {
  if (outcome === undefined || !('pets' in outcome)) throw new Error(`No pets: ${JSON.stringify(outcome)}`)
  return outcome.pets
}

const integers = ['3', '9007199254740991', '9007199254740993', '9223372036854775807', '-9223372036854775808']
const linked = (target: string) => ({ ...emptyPage, headers: { Link: `<${target}>; rel="next"` } })

const pages: readonly Case[] = [
  {
    title: 'gives every pet once, page by page, or all with the status of the query',
    calls: [{ pets: {} }, { pets: { limit: 4 } }, { pets: { limit: 1, status: 'sold' } }],
    server: [pass],
    also: ({ outcomes }) => {
      const [before = [], after = [], sold = []] = outcomes.map(petsOf)
      expect(new Set(after.map(({ id }) => id)).size).toBe(after.length)
      // Other files add pets meanwhile, none of which is sold.
      expect(after.filter(({ id }) => before.some((pet) => pet.id === id))).toEqual(before)
      expect(sold.length).toBeGreaterThan(1)
      expect(sold).toEqual(before.filter(({ status }) => status === 'sold'))
    },
  },
  {
    title: 'requests no further page when its caller leaves the loop',
    calls: [{ pets: { limit: 2 }, take: 1 }],
    server: [pass],
    outcomes: [{ pets: [{ id: expect.any(Number) }] }],
    requests: 1,
  },
  {
    title: 'ends when pages come again',
    calls: [{ pets: {} }],
    server: ['a', 'b', 'a'].map((cursor) => linked(`/v1/pets?cursor=${cursor}`)),
    outcomes: [{ error: 'refused' }],
    requests: 3,
  },
  {
    title: 'sends and reads every integer exactly, beyond 2^53 too',
    calls: [...integers.map((categoryId) => ({ create: { name: 'Exactly', categoryId } })), { page: { limit: 50 } }],
    server: [pass],
    outcomes: integers.map((categoryId) => ({ pets: [{ name: 'Exactly', categoryId }] })),
    also: ({ outcomes }) => {
      const listed = petsOf(outcomes.at(-1)).filter(({ name }) => name === 'Exactly')
      const newest = listed.slice(0, integers.length).map(({ categoryId }) => categoryId)
      expect(newest).toEqual(integers.toReversed())
    },
  },
]

/** `OTHER` is a server that no client may connect to, as host and port. */
const elsewhere = [
  'http://OTHER/v1/pets',
  '//OTHER/v1/pets',
  String.raw`/\OTHER/v1/pets`,
  'http://OTHER@OTHER/v1/pets',
  'file:///etc/hostname',
]
const redirects = [301, 302, 303, 307, 308]
const malformed = ['', '<html>', '[{"id":1}', '[{"id":1}]]']

const misbehaving: readonly Case[] = [
  ...elsewhere.map((target) => ({
    title: `follows no redirect to ${target}`,
    calls: redirects.map((status) => (status % 2 === 0 ? { page: {} } : { create: bella })),
    server: redirects.map((status) => ({ status, headers: { Location: target } })),
    outcomes: redirects.map((status) => failed(status, null)),
  })),
  {
    title: 'stays at the API, whatever a Link names',
    calls: elsewhere.map(() => ({ pets: {} })),
    server: elsewhere.flatMap((target) => [linked(`${target}?cursor=a%2Cb`), emptyPage]),
    outcomes: elsewhere.map(() => ({ pets: [] })),
    requests: 2 * elsewhere.length,
    also: ({ seen }) => {
      const paths = ['/v1/pets?limit=100', '/v1/pets?limit=100&cursor=a%2Cb']
      expect([...new Set(seen.map(({ path }) => path))]).toEqual(paths)
    },
  },
  {
    title: 'gives an error without a code when a body is malformed, or something else responds in place of the API',
    calls: [...malformed, ''].map(() => ({ page: {} })),
    server: [...malformed.map((body) => ({ status: 200, body })), { status: 502, body: '<html>' }],
    outcomes: [...malformed.map(() => failed(200, null)), failed(502, null)],
  },
]

export const cases: readonly Case[] = [...retries, ...pages, ...misbehaving]
