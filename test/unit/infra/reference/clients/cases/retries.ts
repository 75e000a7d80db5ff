import { expect } from 'vitest'
import { fixedPlans } from '../../../../../../shared/api-keys/plans.ts'
import type { Fate } from '../relay.ts'
import { type Case, created, emptyPage, failed, type Run, refusal } from './case.ts'

const bella = { name: 'Bella', categoryId: '1' } as const
const later = refusal(503, 'service_unavailable', '10')

const idempotencyKeys = ({ seen }: Run) =>
  seen.filter(({ method }) => method === 'POST').map(({ headers }) => headers['idempotency-key'])

const refused: readonly Case[] = [
  {
    title: 'waits until the limit of the key allows it, as Retry-After says',
    perDay: 1,
    options: { longestWaitSeconds: 100_000 },
    calls: [{ page: {} }, { page: {} }],
    server: ({ api, issued }) => [
      'pass',
      'pass',
      // The wait is not made, so the third request needs a plan that allows it now.
      async (): Promise<Fate> => {
        await api.keys.move(issued.record.keyId, 'pro', fixedPlans.pro)
        return 'pass'
      },
    ],
    outcomes: [{ pets: expect.any(Array) }, { pets: expect.any(Array) }],
    waits: ({ answered }) => [Number(answered[1]?.headers['retry-after'])],
    also: ({ answered }) => expect(answered.map(({ statusCode }) => statusCode)).toEqual([200, 429, 200]),
  },
  {
    title: 'does not begin a wait that is too long',
    perDay: 1,
    options: { longestWaitSeconds: 0 },
    calls: [{ page: {} }, { page: {} }],
    server: () => ['pass'],
    outcomes: [{ pets: expect.any(Array) }, failed(429, 'rate_limit_exceeded', expect.any(Number))],
    requests: 2,
  },
  {
    title: 'counts the waits of a request together',
    options: { longestWaitSeconds: 25 },
    calls: [{ page: {} }],
    server: () => [later],
    outcomes: [failed(503, 'service_unavailable', 10)],
    requests: 3,
    waits: [10, 10],
    also: ({ waits }) => expect(waits).toMatchObject([1, 2].map((attempt) => ({ attempt, status: 503 }))),
  },
  {
    title: 'ends a request when its caller stops it before a wait',
    stopsAtWait: true,
    calls: [{ page: {} }],
    server: () => [later],
    outcomes: [{ error: { kind: 'refused', message: 'stopped' } }],
    requests: 1,
  },
  {
    title: 'gives the last response after the last attempt',
    options: { attempts: 4 },
    calls: [{ page: {} }],
    server: () => [later],
    outcomes: [{ error: { ...failed(503, 'service_unavailable', 10).error, message: 'Later.' } }],
    requests: 4,
    waits: [10, 10, 10],
  },
  ...[refusal(409, 'idempotency_key_in_use', '3'), refusal(429, 'rate_limit_exceeded', '3'), later].map((first) => ({
    title: `retries a creation after a ${first.status}, under one key`,
    calls: [{ create: bella }],
    server: () => [first, created],
    outcomes: [{ pets: [bella] }],
    requests: 2,
    waits: [Number(first.headers['Retry-After'])],
    also: (run: Run) => expect(new Set(idempotencyKeys(run)).size).toBe(1),
  })),
]

const final: readonly Case[] = [
  {
    title: 'gives an error of the API, and sends the request once',
    calls: [{ page: { limit: 101 } }],
    server: () => ['pass'],
    outcomes: [{ error: { ...failed(400, 'invalid_parameter').error, message: expect.stringContaining('limit') } }],
    requests: 1,
  },
  {
    title: 'gives the error of an unknown key, and sends the request once',
    options: { apiKey: 'none' },
    calls: [{ page: {} }],
    server: () => ['pass'],
    outcomes: [failed(401, 'unauthorized')],
    requests: 1,
  },
  ...[undefined, '', '-1', '1.5', 'soon', 'Wed, 21 Oct 2026 07:28:00 GMT', '9'.repeat(5_000)].map((retryAfter) => ({
    title: `sends a request once when Retry-After is ${retryAfter?.slice(0, 30)}`,
    calls: [{ page: {} }],
    server: () => [refusal(503, 'service_unavailable', retryAfter)],
    outcomes: [failed(503, 'service_unavailable')],
    requests: 1,
  })),
]

const lost: readonly Case[] = [
  {
    title: 'adds a pet once when the response is lost, under one key',
    calls: [{ page: { limit: 1 } }, { create: bella }, { page: { limit: 2 } }],
    server: () => ['pass', 'lose the response', 'lose the response', 'pass'],
    requests: 5,
    waits: [0, 0],
    also: (run) => {
      const [before, added, after] = run.outcomes.map((outcome) => ('pets' in outcome ? outcome.pets : []))
      expect(after).toEqual([added?.[0], before?.[0]])
      expect(new Set(idempotencyKeys(run)).size).toBe(1)
      expect(run.waits).toMatchObject([1, 2].map((attempt) => ({ attempt, status: null })))
    },
  },
  {
    title: 'sends two creations under two keys, or the key of the caller',
    calls: [
      { create: bella },
      { create: bella },
      { create: bella, idempotencyKey: 'given' },
      { create: bella, idempotencyKey: 'given' },
    ],
    server: () => ['pass'],
    also: (run) => {
      expect(run.outcomes[0]).not.toEqual(run.outcomes[1])
      expect(run.outcomes[2]).toEqual(run.outcomes[3])
      expect(idempotencyKeys(run).slice(2)).toEqual(['given', 'given'])
    },
  },
  {
    title: 'gives up after the last attempt',
    options: { attempts: 2 },
    calls: [{ page: {} }],
    server: () => ['lose the response'],
    outcomes: [{ error: { kind: 'lost' } }],
    requests: 2,
    waits: [0],
  },
  {
    title: 'retries when the body is cut off',
    calls: [{ page: {} }],
    server: () => [
      (response) => {
        response.writeHead(200, { 'Content-Length': '1000000000000' }).write('[]', () => response.destroy())
        return undefined
      },
      emptyPage,
    ],
    outcomes: [{ pets: [] }],
    requests: 2,
    waits: [0],
  },
]

export const retries = [...refused, ...final, ...lost]
