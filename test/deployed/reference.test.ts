import { describe, expect, it } from 'vitest'
import { environmentNames } from '../../infra/environments.ts'
import { cacheControl, securityHeaders, strictTransportSecurity } from '../../infra/reference/security-headers.ts'
import { isDeployed } from './environments.ts'
import { findReference } from './reference-site.ts'

describe.skipIf(!isDeployed).each(environmentNames)('the deployed reference of %s', (environment) => {
  it('is a page with all headers of the list, and no other address of an API', async () => {
    const { apiUrl, get } = await findReference(environment)
    const { status, headers, body } = await get('/')
    expect(status).toBe(200)
    expect(body).toMatch(/^<!doctype html>/i)
    const { 'Access-Control-Allow-Origin': _, ...expected } = securityHeaders(new URL(apiUrl).origin)
    expect(headers).toMatchObject({
      ...Object.fromEntries(Object.entries(expected).map(([name, value]) => [name.toLowerCase(), value])),
      'content-type': 'text/html',
      'cache-control': cacheControl,
      'strict-transport-security': `max-age=${strictTransportSecurity.seconds}; includeSubDomains`,
    })
    expect(body).toContain(apiUrl)
    expect(body).not.toContain('marker:')
  })

  it('has every file that the page names', async () => {
    const { get } = await findReference(environment)
    const { body } = await get('/')
    const assets = [...body.matchAll(/(?:src|href)="\/([^"]+\.(?:js|css))"/g)].map(([, path = '']) => path)
    expect(assets).not.toHaveLength(0)
    for (const path of assets) {
      const { status, headers } = await get(`/${path}`)
      expect(status, path).toBe(200)
      expect(headers['cache-control'], path).toBe(cacheControl)
      expect(headers['content-type'], path).toMatch(/^text\/(javascript|css)$/)
    }
  })

  it("publishes the contract with the environment's base URL", async () => {
    const { apiUrl, get } = await findReference(environment)
    const json = await get('/openapi.json')
    expect(json.headers).toMatchObject({
      'content-type': 'application/json',
      'cache-control': cacheControl,
    })
    expect(JSON.parse(json.body).servers).toEqual([expect.objectContaining({ url: apiUrl })])
  })

  it('is served by HTTPS only', async () => {
    const { status, headers } = await (await findReference(environment)).get('/openapi.json', 'http')
    expect(status).toBe(301)
    expect(headers.location).toMatch(/^https:\/\/.*\/openapi\.json$/)
  })
})
