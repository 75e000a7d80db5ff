import { createServer } from 'node:http'
import { expect, inject, it, onTestFinished } from 'vitest'
import { defaults } from '../../../../infra/environments.ts'
import { listen } from '../../../../infra/local/gateway/listen.ts'
import { buildSecurityHeaders, cacheControl } from '../../../../infra/reference/security-headers.ts'
import { buildSite } from '../../../../infra/reference/site.ts'
import { readPart, sendForStatus, test } from './browser.ts'

const { url, apiUrl } = inject('reference')
const { banPolicy } = defaults.staging

const servedFiles = [
  { path: '', contentType: 'text/html' },
  { path: 'openapi.json', contentType: 'application/json' },
  { path: 'page.js', contentType: 'text/javascript' },
  { path: 'page.css', contentType: 'text/css' },
]

it.each(servedFiles)(
  'the local environment serves /$path with the headers that it has on AWS',
  async ({ path, contentType }) => {
    const response = await fetch(url + path)

    expect(response.status).toBe(200)
    expect(response.headers.get('Content-Type')).toBe(contentType)
    expect(response.headers.get('Cache-Control')).toBe(cacheControl)
    for (const [name, value] of Object.entries(buildSecurityHeaders(new URL(url).origin))) {
      expect(response.headers.get(name)).toBe(value)
    }
    expect(response.headers.get('Content-Security-Policy')).not.toContain('unsafe')
  },
)

it.each(servedFiles)('HEAD /$path has the headers of GET without its body', async ({ path }) => {
  const response = await fetch(url + path)
  const head = await fetch(url + path, { method: 'HEAD' })

  expect(head.status).toBe(200)
  expect(head.headers.get('Content-Length')).toBe(response.headers.get('Content-Length'))
  expect(await head.text()).toBe('')
})

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

/** Serves the site on a port of its own: the API has another origin then, as on AWS. */
const serveSite = async (): Promise<string> => {
  const files = new Map(
    buildSite({ baseUrl: apiUrl, environment: 'staging', banPolicy }).map((file) => [file.path, file]),
  )
  const securityHeaders = buildSecurityHeaders(new URL(apiUrl).origin)
  const server = createServer(({ url: path = '/' }, response) => {
    const file = files.get(path === '/' ? 'index.html' : path.slice(1))
    const contentType = file?.contentType ?? 'text/plain'
    response.writeHead(file === undefined ? 404 : 200, { ...securityHeaders, 'Content-Type': contentType })
    response.end(file?.body)
  })
  onTestFinished(() => {
    server.close()
  })
  return `http://127.0.0.1:${await listen(server, 0)}/`
}

test('a page without demo keys names the operator of the API', async ({ open }) => {
  const page = await open({ url: await serveSite() })

  expect(await page.locator('#get-a-key').innerText()).toContain('contact the operator of this API')
})

test('a page of another origin than the API creates a pet once', async ({ open }) => {
  const page = await open({ url: await serveSite() })
  await page.getByLabel('Your API key').fill(inject('reference').demoKeys.pro)
  const panel = page.locator('#createPet')
  await panel.getByLabel('Idempotency-Key').fill('from another origin')

  await sendForStatus(panel, 201)
  await sendForStatus(panel, 201)

  await expect.poll(() => readPart(panel.locator('.result'), 'headers')).toContain('idempotency-replayed: true')
})

test('a page of another origin than the API shows the headers of a response', async ({ open }) => {
  const page = await open({ url: await serveSite() })
  await page.getByLabel('Your API key').fill(inject('reference').demoKeys.pro)

  const result = await sendForStatus(page.locator('#listPets'), 200)

  const headers = await readPart(result, 'headers')
  expect(headers).toContain('link: <')
  expect(headers).toContain('x-ratelimit-remaining: ')
  expect(headers).toContain('ratelimit: ')
})
