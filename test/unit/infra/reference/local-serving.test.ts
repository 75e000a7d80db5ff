import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { describe, expect, inject, test } from 'vitest'
import { securityHeaders } from '../../../../infra/reference/security-headers.ts'

const url = inject('referenceUrl')
const { origin, port } = new URL(url)

/** The response to a path as it is, which `fetch` would resolve. */
const raw = async (requestLine: string): Promise<string> => {
  const socket = connect(Number(port), '127.0.0.1')
  socket.write(`${requestLine} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`)
  return text(socket)
}

describe('The local environment serves the reference', () => {
  test.each([
    ['', 'text/html; charset=utf-8'],
    ['index.html', 'text/html; charset=utf-8'],
    ['openapi.json', 'application/json'],
    ['openapi.yaml', 'application/yaml'],
  ])('at /%s, with the headers of every environment, to be asked for each time', async (path, contentType) => {
    const response = await fetch(`${url}${path}`)
    expect(response.status).toBe(200)
    expect(Object.fromEntries(response.headers)).toMatchObject({
      ...Object.fromEntries(
        Object.entries(securityHeaders(origin)).map(([name, value]) => [name.toLowerCase(), value]),
      ),
      'content-type': contentType,
      'cache-control': 'no-cache',
    })
    expect(await response.text()).toContain(inject('apiUrl'))
  })

  test('with files to be kept for ever', async () => {
    const page = await (await fetch(url)).text()
    const paths = [...page.matchAll(/(?:src|href)="\/(assets\/[^"]*\.[0-9a-f]{12}\.[a-z]+)"/g)].map(([, path]) => path)
    expect(new Set(paths)).toHaveLength(5)
    for (const path of paths) {
      const response = await fetch(`${url}${path}`)
      expect([response.status, response.headers.get('cache-control')]).toEqual([
        200,
        'public, max-age=31536000, immutable',
      ])
    }
  })

  test('without an inline script or style, which its Content-Security-Policy forbids', async () => {
    const response = await fetch(url)
    expect(response.headers.get('content-security-policy')).not.toContain('unsafe')
    expect(await response.text()).not.toMatch(/<style|style=|<script(?![^>]*src=)|\son\w+=/)
  })

  test('to HEAD without a body', async () => {
    const [whole, head] = await Promise.all([fetch(url), fetch(url, { method: 'HEAD' })])
    expect(head.headers.get('content-length')).toBe(whole.headers.get('content-length'))
    expect([head.status, await head.text()]).toEqual([200, ''])
  })

  test.each([
    'GET /nothing',
    'GET /assets/',
    'GET /assets/../package.json',
    'GET /..%2fpackage.json',
    'GET /../../etc/passwd',
    'GET //etc/passwd',
    'GET /%00',
    'POST /',
    'DELETE /openapi.json',
  ])('and responses %s with 404 and the error body', async (request) => {
    const response = await raw(request)
    expect(response).toMatch(/^HTTP\/1\.1 404 /)
    expect(response).toContain('"code":"route_not_found"')
    expect(response).toContain('Every path begins with /v1.')
  })
})
