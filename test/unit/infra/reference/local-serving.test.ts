import { createServer } from 'node:http'
import { expect, inject, it, onTestFinished } from 'vitest'
import { listen } from '../../../../infra/local/gateway/listen.ts'
import { buildSecurityHeaders, cacheControl } from '../../../../infra/reference/security-headers.ts'
import { buildSite } from '../../../../infra/reference/site.ts'
import { send, shown, test } from './browser.ts'

const url = inject('reference').url
const { origin } = new URL(url)

it.each([
  ['', 'text/html; charset=utf-8'],
  ['openapi.json', 'application/json'],
  ['page.js', 'text/javascript; charset=utf-8'],
  ['page.css', 'text/css; charset=utf-8'],
])(
  'the local environment serves /%s with the headers of every environment, to be asked for each time',
  async (path, type) => {
    const [response, head] = [await fetch(url + path), await fetch(url + path, { method: 'HEAD' })]
    const expected = { ...buildSecurityHeaders(origin), 'Content-Type': type, 'Cache-Control': cacheControl }
    for (const [name, value] of Object.entries(expected)) expect(response.headers.get(name)).toBe(value)
    expect(response.headers.get('content-security-policy')).not.toContain('unsafe')
    expect(head.headers.get('content-length')).toBe(response.headers.get('content-length'))
    expect([response.status, head.status, await head.text()]).toEqual([200, 200, ''])
  },
)

it.each(['GET nothing', 'GET clients/', 'GET ..%2fpackage.json', 'POST ', 'DELETE openapi.json'])(
  'the local environment responds 404 with the error body to %s, which the reference does not have',
  async (request) => {
    const [method = '', path = ''] = request.split(' ')
    const response = await fetch(`${url}${path}`, { method })
    expect([response.status, await response.json()]).toMatchObject([404, { code: 'route_not_found' }])
  },
)

test('The site on another host than the API, as it is deployed, sends and shows the same as on that of the API', async ({
  open,
}) => {
  const apiUrl = inject('reference').apiUrl
  const files = new Map(buildSite({ baseUrl: apiUrl, environment: 'staging' }).map((file) => [file.path, file]))
  const server = createServer((request, response) => {
    const file = files.get(request.url === '/' ? 'index.html' : (request.url ?? '').slice(1))
    const headers = {
      ...buildSecurityHeaders(new URL(apiUrl).origin),
      'Content-Type': file?.contentType ?? 'text/plain',
    }
    response.writeHead(file === undefined ? 404 : 200, headers).end(file?.body)
  })
  onTestFinished(() => void server.close())
  const page = await open({ url: `http://127.0.0.1:${await listen(server, 0)}/` })
  expect(await page.locator('#get-a-key').innerText()).toContain('contact the operator of this API')
  await page.getByLabel('Your API key').fill(inject('reference').demoKeys[1] ?? '')
  const create = page.locator('#createPet')
  await create.getByLabel('Idempotency-Key').fill('from another host')
  await send(create, 201)
  await send(create, 201)
  await expect.poll(() => shown(create.locator('.result'), 'headers')).toContain('idempotency-replayed: true')
  const headers = await shown(await send(page.locator('#listPets'), 200), 'headers')
  for (const header of ['link: <', 'x-ratelimit-remaining: ', 'ratelimit: ']) expect(headers).toContain(header)
})
