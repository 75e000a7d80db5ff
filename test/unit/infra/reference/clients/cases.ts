import type { IncomingMessage } from 'node:http'
import { expect, inject } from 'vitest'
import { readContract } from '../../../../../infra/contract/contract.ts'
import { guide } from '../../../../../infra/reference/guide.ts'
import type { Job, NewPet, Outcome, Report } from './drivers/job.ts'
import type { Fate } from './relay.ts'

/** What a server does, what a client is asked to do, and what it must do. Every client is held to it. */
export interface Case {
  readonly title: string
  readonly options?: Partial<Job['options']>
  readonly calls: Job['calls']
  /** What happens to each request. The last one happens to all that follow, too. */
  readonly server: readonly Fate[]
  /** For each call, or the first ones: what it must match. */
  readonly outcomes?: readonly unknown[]
  /** How many requests the server sees, or each by its method and path. */
  readonly requests?: number | readonly string[]
  /** The waits between attempts: the seconds that `Retry-After` gives, or `random`. @default none */
  readonly waits?: readonly (number | 'random')[]
  readonly also?: (run: Report & { readonly seen: readonly IncomingMessage[] }) => void
}

const bella: NewPet = { name: 'Bella', categoryId: '1' }
const emptyPage = { status: 200, body: [] }
const created = { status: 201, body: { id: 1, name: 'Bella', categoryId: 1, status: 'available' } }
const silence: Fate = () => undefined
const stalledBody: Fate = (response) => {
  response.writeHead(200, { 'Content-Length': '100' }).write('[')
  return undefined
}
const cutOffBody: Fate = (response) => {
  response.writeHead(200, { 'Content-Length': '1000' }).write('[]', () => response.destroy())
  return undefined
}
const slowBody: Fate = (response) => {
  const timer = setInterval(() => response.write(' '), 50)
  response.writeHead(200).once('close', () => clearInterval(timer))
  return undefined
}

const refusal = (status: number, retryAfter?: string): Fate => ({
  status,
  headers: retryAfter === undefined ? {} : { 'Retry-After': retryAfter },
  body: { code: 'a_code', message: 'Later.', status },
})

const failed = (status: number, code: string | null, retryAfter: number | null = null) => ({
  error: { kind: 'response', status, code, retryAfter },
})

const underOneKey: NonNullable<Case['also']> = ({ seen }) => {
  const keys = seen.filter(({ method }) => method === 'POST').map(({ headers }) => headers['idempotency-key'])
  expect(new Set(keys).size).toBe(1)
  expect(keys[0]).toMatch(/./)
}

/** The statuses after which the guide says to retry. */
const [, retriedText = ''] =
  /Retry after a response with the status ([^,]+(?:, \d+)* or \d+)/.exec(
    guide(readContract(), { baseUrl: '/v1', environment: 'local' }).find(({ id }) => id === 'retrying')?.content
      .markup ?? '',
  ) ?? []
const retried = (retriedText.match(/\d+/g) ?? []).map(Number)
const final = [400, 401, 403, 404, 405, 413, 415, 422, 501, 502].filter((status) => !retried.includes(status))

const retries: readonly Case[] = [
  ...retried.flatMap((status): Case[] => [
    {
      title: `sends a request again after ${status}, when Retry-After says`,
      calls: [{ page: {} }],
      server: [refusal(status, '17'), emptyPage],
      outcomes: [{ pets: [] }],
      requests: 2,
      waits: [17],
    },
    {
      title: `creates once after ${status}, and after a random time where nothing says when`,
      calls: [{ create: bella }],
      server: [refusal(status), refusal(status, 'soon'), created],
      outcomes: [{ pets: [bella] }],
      requests: 3,
      waits: ['random', 'random'],
      also: underOneKey,
    },
  ]),
  ...final.map((status) => ({
    title: `sends a request once that gets ${status}`,
    calls: [{ page: {} }, { create: bella }],
    server: [refusal(status, '1')],
    outcomes: [failed(status, 'a_code', 1), failed(status, 'a_code', 1)],
    requests: 2,
  })),
  {
    title: 'does not begin a wait that is too long, and says how long it is',
    options: { longestWaitSeconds: 16 },
    calls: [{ page: {} }],
    server: [refusal(429, '17')],
    outcomes: [failed(429, 'a_code', 17)],
    requests: 1,
  },
  {
    title: 'gives the last response after the last attempt',
    calls: [{ page: {} }],
    server: [refusal(503)],
    outcomes: [failed(503, 'a_code')],
    requests: 6,
    waits: ['random', 'random', 'random', 'random', 'random'],
  },
  {
    // Other files add pets to the same environment meanwhile.
    title: 'adds a pet once when its response is lost',
    calls: [{ page: { limit: 50 } }, { create: { name: 'Once', categoryId: '1' } }, { page: { limit: 50 } }],
    server: ['pass', 'lose the response', 'lose the response', 'pass'],
    requests: 5,
    waits: ['random', 'random'],
    also: (run) => {
      underOneKey(run)
      const [before = [], added, after = []] = run.outcomes.map(petsOf)
      const known = new Set(before.map(({ id }) => id))
      expect(after.filter(({ id, name }) => name === 'Once' && !known.has(id))).toEqual(added)
    },
  },
  {
    title: 'sends two creations under two keys, or the key of the caller',
    calls: [{ create: bella }, { create: bella }, ...Array(2).fill({ create: bella, idempotencyKey: 'given' })],
    server: ['pass'],
    also: ({ outcomes, seen }) => {
      expect(outcomes[0]).not.toEqual(outcomes[1])
      expect(outcomes[2]).toEqual(outcomes[3])
      expect(seen.slice(2).map(({ headers }) => headers['idempotency-key'])).toEqual(['given', 'given'])
    },
  },
  ...Object.entries({ silence, stalledBody, slowBody, cutOffBody, lost: 'lose the response' as const }).map(
    ([name, fate]) => ({
      title: `sends a request again whose response does not come, or not whole: ${name}`,
      options: { timeoutSeconds: 0.5, attempts: 2 },
      calls: [{ create: bella }, { page: {} }],
      server: [fate, created, fate],
      outcomes: [{ pets: [bella] }, { error: { kind: 'lost' } }],
      requests: 4,
      waits: ['random', 'random'] as const,
    }),
  ),
]

type Pets = readonly (NewPet & { readonly id: number })[]

const petsOf = (outcome: Outcome | undefined): Pets => {
  if (outcome === undefined || !('pets' in outcome)) throw new Error(`No pets: ${JSON.stringify(outcome)}`)
  return outcome.pets
}

const integers = ['3', '9007199254740991', '9007199254740993', '9223372036854775807', '-9223372036854775808']
const linked = (target: string) => ({ ...emptyPage, headers: { Link: `<${target}>; rel="next"` } })

const pages: readonly Case[] = [
  {
    title: 'gives every pet once, page by page',
    calls: [{ pets: {} }, { pets: { limit: 4 } }],
    server: ['pass'],
    also: ({ outcomes }) => {
      const [before = [], after = []] = outcomes.map((outcome) => petsOf(outcome).map(({ id }) => id))
      expect(before.length).toBeGreaterThan(8)
      expect(new Set(after).size).toBe(after.length)
      expect(after.filter((id) => before.includes(id))).toEqual(before)
    },
  },
  {
    title: 'gives only the pets with the status of the query, on every page',
    calls: [{ pets: {} }, { pets: { limit: 1, status: 'sold' } }],
    server: ['pass'],
    also: ({ outcomes }) => {
      const sold = petsOf(outcomes[0]).filter((pet) => 'status' in pet && pet.status === 'sold')
      expect(sold.length).toBeGreaterThan(1)
      expect(petsOf(outcomes[1])).toEqual(sold)
    },
  },
  {
    title: 'requests no further page when its caller leaves the loop',
    calls: [{ pets: { limit: 2 }, take: 1 }],
    server: ['pass'],
    outcomes: [{ pets: [{ id: expect.any(Number) }] }],
    requests: ['GET /v1/pets?limit=2'],
  },
  {
    title: 'ends when pages come again',
    calls: [{ pets: {} }],
    server: ['a', 'b', 'a'].map((cursor) => linked(`/v1/pets?cursor=${cursor}`)),
    outcomes: [{ error: { kind: 'refused' } }],
    requests: 3,
  },
  {
    title: 'sends and reads every integer exactly, beyond 2^53 too',
    calls: [...integers.map((categoryId) => ({ create: { name: 'Exactly', categoryId } })), { page: { limit: 50 } }],
    server: ['pass'],
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

const misbehaving: readonly Case[] = [
  ...[301, 302, 303, 307, 308].map((status) => ({
    title: `does not follow a ${status}`,
    calls: [{ page: {} }, { create: bella }],
    server: elsewhere.map((target) => ({ status, headers: { Location: target } })),
    outcomes: [failed(status, null), failed(status, null)],
    requests: 2,
  })),
  ...elsewhere.map((target) => ({
    title: `stays at the API with the Link ${target}`,
    calls: [{ pets: {} }],
    server: [linked(`${target}?cursor=a%2Cb`), emptyPage],
    outcomes: [{ pets: [] }],
    requests: ['GET /v1/pets?limit=100', 'GET /v1/pets?limit=100&cursor=a%2Cb'],
  })),
  ...['', '<html>', '[{"id":1}', '[{"id":1}]]'].map((body) => ({
    title: `gives an error without a code when a success has the body '${body}'`,
    calls: [{ page: {} }],
    server: [{ status: 200, body }],
    outcomes: [failed(200, null)],
    requests: 1,
  })),
  {
    title: 'gives an error without a code when something else responds in place of the API',
    calls: [{ page: {} }],
    server: [{ status: 502, body: '<html>' }, emptyPage],
    outcomes: [failed(502, null)],
    requests: 1,
  },
  {
    title: 'gives the error of the API for a key that is none',
    options: { apiKey: 'none' },
    calls: [{ page: {} }],
    server: ['pass'],
    outcomes: [failed(401, 'unauthorized')],
    requests: 1,
  },
]

export const cases: readonly Case[] = [...retries, ...pages, ...misbehaving]

/** The key of the local environment with the largest limits. */
export const clientKey = (): string => inject('demoKeys').at(-1) ?? ''
