import { expect, inject, it } from 'vitest'
import { buildSecurityHeaders, cacheControl } from '../../../../infra/reference/security-headers.ts'

const { url } = inject('reference')

const servedFiles = [
  { path: '', contentType: 'text/html' },
  { path: 'openapi.json', contentType: 'application/json' },
  { path: 'page.js', contentType: 'text/javascript' },
  { path: 'page.css', contentType: 'text/css' },
]

it.each(servedFiles)(
  'the local environment serves /$path, also to HEAD, with the headers that it has on AWS',
  async ({ path, contentType }) => {
    const response = await fetch(url + path)
    const head = await fetch(url + path, { method: 'HEAD' })

    for (const { status, headers } of [response, head]) {
      expect(status).toBe(200)
      expect(headers.get('Content-Type')).toBe(contentType)
      expect(headers.get('Cache-Control')).toBe(cacheControl)
      for (const [name, value] of Object.entries(buildSecurityHeaders(new URL(url).origin))) {
        expect(headers.get(name)).toBe(value)
      }
      expect(headers.get('Content-Security-Policy')).not.toContain('unsafe')
    }
    expect(head.headers.get('Content-Length')).toBe(response.headers.get('Content-Length'))
    expect(await head.text()).toBe('')
  },
)

it.each([
  { method: 'GET', path: 'nothing' },
  { method: 'GET', path: 'clients/' },
  { method: 'GET', path: '..%2fpackage.json' },
  { method: 'POST', path: '' },
  { method: 'DELETE', path: 'openapi.json' },
])('the local environment responds 404 to $method /$path', async ({ method, path }) => {
  const response = await fetch(url + path, { method })

  expect(response.status).toBe(404)
  expect(await response.json()).toMatchObject({ code: 'route_not_found' })
})
