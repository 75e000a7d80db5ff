import { expect } from 'vitest'
import { type Case, emptyPage, failed, pageWithLink, type Stage } from './case.ts'

const portOf = (hostAndPort: string): string => hostAndPort.replace(/.*:/, '')

const elsewhere: readonly (readonly [place: string, address: (stage: Stage) => string])[] = [
  ['another port', ({ other }) => `http://${other}/v1/pets`],
  ['another host', ({ other }) => `http://localhost:${portOf(other)}/v1/pets`],
  ['another host with the same port', ({ own }) => `http://localhost:${portOf(own)}/v1/pets`],
  ['a protocol-relative address', ({ other }) => `//${other}/v1/pets`],
  ['another scheme', ({ own }) => `https://${own}/v1/pets`],
]

const redirects: readonly Case[] = [301, 302, 303, 307, 308].flatMap((status) =>
  [...elsewhere, ['another path', () => '/v1/other'] as const].map(([place, address]) => ({
    title: `does not follow a ${status} to ${place}`,
    calls: [{ page: {} }, { pets: {} }, { create: { name: 'Bella', categoryId: '1' } }],
    server: (stage: Stage) => [{ status, headers: { Location: address(stage) } }],
    outcomes: [failed(status, null), failed(status, null), failed(status, null)],
    requests: 3,
  })),
)

const links: readonly Case[] = [
  ...elsewhere,
  ['a user name that looks like the API', ({ own, other }: Stage) => `http://${own}@${other}/v1/pets`] as const,
  ['a file', () => 'file:///etc/hostname'] as const,
  ['data', () => 'data:application/json,[]'] as const,
].map(([place, address]) => ({
  title: `refuses a Link to ${place}`,
  calls: [{ pets: {} }],
  server: (stage) => [pageWithLink(`<${address(stage)}>; rel="next"`), emptyPage],
  outcomes: [{ error: { kind: 'refused', message: expect.any(String) } }],
  requests: 1,
}))

/** URL parsers do not agree about these, so a client may refuse one, or find a path of the API in it. */
const ambiguous: readonly Case[] = [
  String.raw`/\OTHER/v1/pets`,
  String.raw`\\OTHER/v1/pets`,
  String.raw`http:\\OTHER\v1/pets`,
  String.raw`http://OWN\@OTHER/v1/pets`,
  'http:///OTHER/v1/pets',
  '///OTHER/v1/pets',
  'http:OTHER/v1/pets',
  'URL:http://OTHER/v1/pets',
  ' http://OTHER/v1/pets',
  '/\t/OTHER/v1/pets',
  'http://OWN#@OTHER/v1/pets',
  'http://OWN?@OTHER/v1/pets',
].map((address) => ({
  title: `stays at the API with the Link ${address}`,
  calls: [{ pets: {} }],
  server: ({ own, other }) => [
    pageWithLink(`<${address.replace('OWN', own).replace('OTHER', other)}>; rel="next"`),
    emptyPage,
  ],
}))

export const origins = [...redirects, ...links, ...ambiguous]
