import { expect, it } from 'vitest'
import type { GatewayEvent } from '../../../../shared/http/gateway-event.ts'
import { createNextPageHeaders } from '../../../../shared/http/next-page.ts'
import { readGatewayEvent, replaceHeader } from '../../../events/events.ts'

interface Address {
  readonly path?: string
  /** Value of the header Host; `null` for none. */
  readonly host?: string | null
  /** Value of the header X-Forwarded-Proto; `null` for none. */
  readonly scheme?: string | null
}

const createEvent = ({ path, host, scheme }: Address): GatewayEvent => {
  let event = readGatewayEvent('list-pets')
  if (path !== undefined) event.requestContext.path = path
  if (host !== undefined) event = replaceHeader(event, 'Host', ...(host === null ? [] : [host]))
  if (scheme !== undefined) event = replaceHeader(event, 'X-Forwarded-Proto', ...(scheme === null ? [] : [scheme]))
  return event
}

it.each<{ readonly request: Address; readonly link: string }>([
  { request: {}, link: 'https://a1b2c3d4e5.execute-api.us-east-1.amazonaws.com/v1/pets' },
  {
    request: { path: '/animals/v1/pets', host: 'api.example.org' },
    link: 'https://api.example.org/animals/v1/pets',
  },
  { request: { host: '127.0.0.1:3000', scheme: 'http' }, link: 'http://127.0.0.1:3000/v1/pets' },
])('the link to the next page has the address that the caller used: $link', ({ request, link }) => {
  const query = { limit: 20, status: undefined, cursor: 'a&b>"' }

  expect(createNextPageHeaders(createEvent(request), query)).toEqual({
    Link: `<${link}?limit=20&cursor=a%26b%3E%22>; rel="next"`,
  })
})

it.each<{ readonly problem: string; readonly request: Address }>([
  { problem: 'no host', request: { host: null } },
  { problem: 'no scheme', request: { scheme: null } },
  { problem: 'a host that would break out of the link', request: { host: 'a>; rel="x"' } },
  { problem: 'a host after a path', request: { host: 'a/b.example.org' } },
  { problem: 'a scheme of no web page', request: { scheme: 'javascript' } },
  { problem: 'a path that begins with two slashes', request: { path: '//v1/pets', host: null } },
])('the link to the next page is relative for a request with $problem', ({ request }) => {
  const query = { limit: 20, status: undefined, cursor: 'a&b>"' }

  expect(createNextPageHeaders(createEvent(request), query)).toEqual({
    Link: '</v1/pets?limit=20&cursor=a%26b%3E%22>; rel="next"',
  })
})
