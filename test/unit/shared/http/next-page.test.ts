import { expect, it } from 'vitest'
import type { GatewayEvent } from '../../../../shared/http/gateway-event.ts'
import { createNextPageHeaders } from '../../../../shared/http/next-page.ts'
import { readGatewayEvent, replaceHeader } from '../../../events/events.ts'

const event = readGatewayEvent('list-pets')
const at = (path: string): GatewayEvent => ({ ...event, requestContext: { ...event.requestContext, path } })
const hosted = (given: GatewayEvent, host: string) => replaceHeader(given, 'Host', host)
const schemed = (given: GatewayEvent, scheme: string) => replaceHeader(given, 'X-Forwarded-Proto', scheme)

it.each([
  ['at the host of the stage', event, 'https://a1b2c3d4e5.execute-api.us-east-1.amazonaws.com/v1/pets'],
  ['below a base path', hosted(at('/animals/v1/pets'), 'api.example.org'), 'https://api.example.org/animals/v1/pets'],
  ['at a port', schemed(hosted(event, '127.0.0.1:3000'), 'http'), 'http://127.0.0.1:3000/v1/pets'],
  ['relative without a host', replaceHeader(event, 'Host'), '/v1/pets'],
  ['relative without a scheme', replaceHeader(event, 'X-Forwarded-Proto'), '/v1/pets'],
  ['relative with a host that would break out of the link', hosted(event, 'a>; rel="x"'), '/v1/pets'],
  ['relative with a host after a path', hosted(event, 'a/b.example.org'), '/v1/pets'],
  ['relative with a scheme of no web page', schemed(event, 'javascript'), '/v1/pets'],
  ['no other host where the path begins with two slashes', replaceHeader(at('//v1/pets'), 'Host'), '/v1/pets'],
])('the link to the next page is the address that the caller used: %s', (_where, request, address) => {
  const query = { limit: 20, status: undefined, cursor: 'a&b>"' }
  expect(createNextPageHeaders(request, query)).toEqual({
    Link: `<${address}?limit=20&cursor=a%26b%3E%22>; rel="next"`,
  })
})
