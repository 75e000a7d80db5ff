import { expect, it } from 'vitest'
import type { GatewayEvent } from '../../../../../shared/http/gateway-event.ts'
import { createNextPageHeaders } from '../../../../../shared/http/response/next-page.ts'
import { readGatewayEvent, replaceHeader } from '../../../../events/events.ts'

interface RequestChange {
  readonly path?: string
  /** Values of headers. A header without values is removed. */
  readonly headers?: Readonly<Record<string, readonly string[]>>
}

/** Creates the recorded event of `list-pets`, with another path or other headers. */
const createEvent = ({ path, headers = {} }: RequestChange): GatewayEvent => {
  let event = readGatewayEvent('list-pets')
  if (path !== undefined) event.requestContext.path = path
  for (const [name, values] of Object.entries(headers)) event = replaceHeader(event, name, ...values)
  return event
}

/** A query without a status. The cursor, unlike a real one, has characters that a link must encode. */
const query = { limit: 20n, status: undefined, cursor: 'a&b>"' }

it.each<{ readonly request: RequestChange; readonly link: string }>([
  { request: {}, link: 'https://a1b2c3d4e5.execute-api.us-east-1.amazonaws.com/v1/pets' },
  {
    request: { path: '/animals/v1/pets', headers: { Host: ['api.example.org'] } },
    link: 'https://api.example.org/animals/v1/pets',
  },
  {
    request: { headers: { Host: ['127.0.0.1:3000'], 'X-Forwarded-Proto': ['http'] } },
    link: 'http://127.0.0.1:3000/v1/pets',
  },
])('the link to the next page has the address that the caller used: $link', ({ request, link }) => {
  expect(createNextPageHeaders(createEvent(request), query)).toEqual({
    Link: `<${link}?limit=20&cursor=a%26b%3E%22>; rel="next"`,
  })
})

it.each<{ readonly problem: string; readonly request: RequestChange }>([
  { problem: 'no host', request: { headers: { Host: [] } } },
  { problem: 'no scheme', request: { headers: { 'X-Forwarded-Proto': [] } } },
  { problem: 'a host that would break out of the link', request: { headers: { Host: ['a>; rel="x"'] } } },
  { problem: 'a host that contains a slash', request: { headers: { Host: ['a/b.example.org'] } } },
  { problem: 'a scheme other than http and https', request: { headers: { 'X-Forwarded-Proto': ['javascript'] } } },
])('the link to the next page is relative for a request with $problem', ({ request }) => {
  expect(createNextPageHeaders(createEvent(request), query)).toEqual({
    Link: '</v1/pets?limit=20&cursor=a%26b%3E%22>; rel="next"',
  })
})

it('a relative link never begins with two slashes, which would name another host', () => {
  const event = createEvent({ path: '//v1/pets', headers: { Host: [] } })

  expect(createNextPageHeaders(event, query)).toEqual({
    Link: '</v1/pets?limit=20&cursor=a%26b%3E%22>; rel="next"',
  })
})
