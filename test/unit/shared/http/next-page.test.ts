import { describe, expect, it } from 'vitest'
import { nextPage } from '../../../../shared/http/next-page.ts'
import { gatewayEvent, withHeader } from '../../../events/events.ts'

const event = gatewayEvent('list-pets')
const query = { limit: 20, status: undefined, cursor: 'abc' }

describe('the link to the next page', () => {
  it('is the address that the caller used, at the host of the stage', () => {
    expect(nextPage(event, query)).toEqual({
      Link: '<https://a1b2c3d4e5.execute-api.us-east-1.amazonaws.com/v1/pets?limit=20&cursor=abc>; rel="next"',
    })
  })

  it('keeps the base path of a custom domain', () => {
    const atDomain = withHeader(
      { ...event, requestContext: { ...event.requestContext, path: '/animals/v1/pets' } },
      'Host',
      'api.example.org',
    )
    expect(nextPage(atDomain, query)['Link']).toBe(
      '<https://api.example.org/animals/v1/pets?limit=20&cursor=abc>; rel="next"',
    )
  })

  it('keeps a port, and http where the caller used it', () => {
    const local = withHeader(withHeader(event, 'Host', '127.0.0.1:3000'), 'X-Forwarded-Proto', 'http')
    expect(nextPage(local, query)['Link']).toContain('<http://127.0.0.1:3000/v1/pets?')
  })

  it.each([
    ['no host', withHeader(event, 'Host')],
    ['no scheme', withHeader(event, 'X-Forwarded-Proto')],
    ['a host that would break out of the link', withHeader(event, 'Host', 'a>; rel="x"')],
    ['a host after a path', withHeader(event, 'Host', 'a/b.example.org')],
    ['a scheme that is no web page', withHeader(event, 'X-Forwarded-Proto', 'javascript')],
  ])('is relative to the address of the request with %s', (_what, request) => {
    expect(nextPage(request, query)).toEqual({ Link: '</v1/pets?limit=20&cursor=abc>; rel="next"' })
  })

  it('names no host where the path begins with two slashes', () => {
    const request = withHeader({ ...event, requestContext: { ...event.requestContext, path: '//v1/pets' } }, 'Host')
    expect(nextPage(request, query)).toEqual({ Link: '</v1/pets?limit=20&cursor=abc>; rel="next"' })
  })

  it('escapes what the query holds', () => {
    expect(nextPage(event, { cursor: 'a&b>"' })['Link']).toContain('?cursor=a%26b%3E%22>')
  })
})
