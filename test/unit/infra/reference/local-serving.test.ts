import { once } from 'node:events'
import { createServer } from 'node:http'
import { expect, inject, onTestFinished, test } from 'vitest'
import { cacheControl, securityHeaders } from '../../../../infra/reference/security-headers.ts'
import { buildSite } from '../../../../infra/reference/site.ts'
import { describeInBrowser, send, shown, useBrowser } from './browser.ts'

const url = inject('referenceUrl')
const { origin } = new URL(url)

test('the local environment serves the reference with the headers of every environment, to be asked for each time', async () => {
  for (const [path, contentType] of Object.entries({
    '': 'text/html; charset=utf-8',
    'index.html': 'text/html; charset=utf-8',
    'openapi.json': 'application/json',
    'page.js': 'text/javascript; charset=utf-8',
    'page.css': 'text/css; charset=utf-8',
  })) {
    const [response, head] = [await fetch(url + path), await fetch(url + path, { method: 'HEAD' })]
    const expected = { ...securityHeaders(origin), 'Content-Type': contentType, 'Cache-Control': cacheControl }
    for (const [name, value] of Object.entries(expected)) expect(response.headers.get(name)).toBe(value)
    expect(response.headers.get('content-security-policy')).not.toContain('unsafe')
    expect(head.headers.get('content-length')).toBe(response.headers.get('content-length'))
    expect([response.status, head.status, await head.text()]).toEqual([200, 200, ''])
  }
})

test.each(['GET nothing', 'GET clients/', 'GET ..%2fpackage.json', 'POST ', 'DELETE openapi.json'])(
  'the local environment responds %s with 404 and the error body',
  async (request) => {
    const [method = '', path = ''] = request.split(' ')
    const response = await fetch(`${url}${path}`, { method })
    expect(response.status).toBe(404)
    expect(await response.json()).toMatchObject({ code: 'route_not_found' })
  },
)

const openReference = useBrowser()

describeInBrowser('The site on another host than the API, as it is deployed', () => {
  test('sends and shows the same as on the host of the API', async () => {
    const apiUrl = inject('apiUrl')
    const files = new Map(buildSite({ baseUrl: apiUrl, environment: 'staging' }).map((file) => [file.path, file]))
    const server = createServer((request, response) => {
      const file = files.get(request.url === '/' ? 'index.html' : (request.url ?? '').slice(1))
      const headers = { ...securityHeaders(new URL(apiUrl).origin), 'Content-Type': file?.contentType ?? 'text/plain' }
      response.writeHead(file === undefined ? 404 : 200, headers).end(file?.body)
    }).listen(0, '127.0.0.1')
    onTestFinished(() => {
      server.close()
    })
    await once(server, 'listening')
    const address = server.address()
    const page = await openReference({ url: `http://127.0.0.1:${Object(address).port}/` })
    expect(await page.locator('#get-a-key').innerText()).toContain('contact the operator of this API')
    await page.getByLabel('Your API key').fill(inject('demoKeys')[1] ?? '')
    const create = page.locator('#createPet')
    await create.getByLabel('Idempotency-Key').fill('from another host')
    await send(create, 201)
    await send(create, 201)
    await expect.poll(() => shown(create.locator('.result'), 'headers')).toContain('idempotency-replayed: true')
    const headers = await shown(await send(page.locator('#listPets'), 200), 'headers')
    for (const header of ['link: <', 'x-ratelimit-remaining: ', 'ratelimit: ']) expect(headers).toContain(header)
  })
})
