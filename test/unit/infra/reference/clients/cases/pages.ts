import { expect } from 'vitest'
import type { Outcome, Pet } from '../drivers/job.ts'
import type { Fate } from '../relay.ts'
import { type Case, emptyPage, pageWithLink, type Stage } from './case.ts'

const petsOf = (outcome: Outcome | undefined): readonly Pet[] => {
  if (outcome === undefined || !('pets' in outcome)) throw new Error(`No pets: ${JSON.stringify(outcome)}`)
  return outcome.pets
}

/** Passes a request on after somebody else has added a pet. */
const addFirst =
  ({ api: { baseUrl, apiKey } }: Stage): Fate =>
  async (): Promise<Fate> => {
    const headers = { Authorization: `Bearer ${apiKey}`, 'Content-Type': 'application/json' }
    await fetch(`${baseUrl}/pets`, { method: 'POST', headers, body: '{"name":"Added meanwhile","categoryId":1}' })
    return 'pass'
  }

const integers = [
  '3',
  '9007199254740991',
  '9007199254740992',
  '9007199254740993',
  '9223372036854775807',
  '-9223372036854775808',
]

const limits = { limit: 60, remaining: 41, reset: 1_795_257_600 }
const limitHeaders = { 'X-RateLimit-Limit': '60', 'X-RateLimit-Remaining': '41', 'X-RateLimit-Reset': '1795257600' }

const listing: readonly Case[] = [
  {
    title: 'gives a page with its next cursor and the limits that the headers tell',
    calls: [{ page: { limit: 1 } }, { page: { limit: 1, cursor: 'a,b' } }],
    server: () => [
      { ...emptyPage, headers: { ...limitHeaders, Link: '<pets?limit=1&cursor=a%2Cb>; rel="next"' } },
      emptyPage,
    ],
    outcomes: [
      { pets: [], nextCursor: 'a,b', limits },
      { pets: [], nextCursor: null, limits: null },
    ],
    requests: ['GET /v1/pets?limit=1', 'GET /v1/pets?limit=1&cursor=a%2Cb'],
  },
  {
    title: 'requests no further page when its caller leaves the loop',
    calls: [{ pets: { limit: 2 }, take: 1 }],
    server: () => ['pass'],
    outcomes: [{ pets: [{ id: expect.any(Number) }] }],
    requests: 1,
  },
  {
    title: 'lists with the limit and the status of the query',
    calls: [{ page: { limit: 2, status: 'pending' } }],
    server: () => ['pass'],
    outcomes: [{ pets: [{ status: 'pending' }, { status: 'pending' }] }],
    requests: ['GET /v1/pets?limit=2&status=pending'],
  },
  {
    title: 'gives every pet once, page by page, while pets are added',
    calls: [{ pets: {} }, { pets: { limit: 4 } }],
    server: (stage) => ['pass', 'pass', addFirst(stage)],
    also: ({ outcomes }) => {
      expect(petsOf(outcomes[0]).length).toBeGreaterThan(8)
      expect(outcomes[1]).toEqual(outcomes[0])
    },
  },
  {
    title: 'gives only the pets with the status of the query, on every page',
    calls: [{ pets: {} }, { pets: { limit: 1, status: 'sold' } }],
    server: () => ['pass'],
    also: ({ outcomes }) => {
      expect(petsOf(outcomes[1])).toEqual(petsOf(outcomes[0]).filter(({ status }) => status === 'sold'))
      expect(petsOf(outcomes[1]).length).toBeGreaterThan(1)
    },
  },
  {
    title: 'sends and reads every integer exactly, beyond 2^53 too',
    calls: [
      ...integers.map((categoryId) => ({ create: { name: 'Exactly', categoryId } })),
      { page: { limit: integers.length } },
    ],
    server: () => ['pass'],
    outcomes: [
      ...integers.map((categoryId) => ({ pets: [{ name: 'Exactly', categoryId, status: 'available' }] })),
      { pets: integers.toReversed().map((categoryId) => ({ categoryId })) },
    ],
  },
]

const nextPage = '/v1/pets?cursor=a%2Cb'

const links: readonly Case[] = [
  `<${nextPage}>; rel="next"`,
  '<pets?cursor=a%2Cb>;rel=next',
  `</v1/pets>; rel="first"; title="a, <b>; rel=next", <${nextPage}>; title="c"; rel="last next"`,
  `<${nextPage}>; REL="Next"; title="d"`,
  ['</v1/pets>; rel="first"', `<${nextPage}>; rel="next"`],
].map((link) => ({
  title: `follows the Link as it is: ${link}`,
  calls: [{ pets: { status: 'sold' } }],
  server: () => [pageWithLink(link), emptyPage],
  outcomes: [{ pets: [] }],
  requests: ['GET /v1/pets?limit=100&status=sold', `GET ${nextPage}`],
}))

const malformedLinks: readonly Case[] = [
  '</v1/pets>; rel="prev"',
  '</v1/pets>; rel="nextish"',
  'rel="next"',
  '</v1/pets; rel="next"',
  '</v1/pets>; title="; rel=next; "',
].map((link) => ({
  title: `has no next page with the Link ${link}`,
  calls: [{ pets: {} }],
  server: () => [pageWithLink(link)],
  outcomes: [{ pets: [] }],
  requests: 1,
}))

const oddLinks: readonly Case[] = [
  {
    title: 'encodes what an address cannot have',
    calls: [{ pets: {} }],
    server: () => [pageWithLink('<pets?cursor=a bé>; rel="next"'), emptyPage],
    outcomes: [{ pets: [] }],
    requests: ['GET /v1/pets?limit=100', 'GET /v1/pets?cursor=a%20b%C3%A9'],
  },
  {
    title: 'compares schemes without case',
    calls: [{ pets: {} }],
    server: ({ own }) => [pageWithLink(`<HTTP://${own}${nextPage}>; rel="next"`), emptyPage],
    outcomes: [{ pets: [] }],
    requests: ['GET /v1/pets?limit=100', `GET ${nextPage}`],
  },
]

const endless: readonly Case[] = [
  ['/v1/pets?limit=100'],
  ['/v1/pets?cursor=a'],
  ['/v1/pets?cursor=a', '/v1/pets?cursor=b', '/v1/pets?cursor=a'],
].map((targets) => ({
  title: `ends when pages come again: ${targets.join(', ')}`,
  calls: [{ pets: {} }],
  server: () => targets.map((target) => pageWithLink(`<${target}>; rel="next"`)),
  outcomes: [{ error: { kind: 'refused', message: expect.stringContaining('do not end') } }],
  requests: [...new Set(['/v1/pets?limit=100', ...targets])].map((target) => `GET ${target}`),
}))

export const pages = [...listing, ...links, ...malformedLinks, ...oddLinks, ...endless]
