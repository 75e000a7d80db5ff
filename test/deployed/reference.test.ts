import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import { environmentNames } from '../../infra/environments.ts'
import { cacheControl, securityHeaders, strictTransportSecurity } from '../../infra/reference/security-headers.ts'
import { emulator, isDeployed, outputOf } from './environments.ts'

describe.skipIf(!isDeployed).each(environmentNames)('the deployed reference of %s', (environment) => {
  /** A file at the address that the stack tells, as CloudFront responds by HTTPS or HTTP. */
  const get = async (path: string, scheme = 'https') => {
    const { host } = new URL(await outputOf(`pet-adoption-${environment}-reference`, 'ReferenceUrl'))
    const { hostname, port } = new URL(emulator().endpoint)
    // The emulator knows distributions by the host that a request names, and is told the scheme.
    const asked = request({ hostname, port, path, headers: { host, 'x-forwarded-proto': scheme } }).end()
    const [response]: IncomingMessage[] = await once(asked, 'response')
    if (response === undefined) throw new Error(`There was no response for ${path}.`)
    return { status: response.statusCode, headers: response.headers, body: await text(response) }
  }
  const apiUrl = () => outputOf(`pet-adoption-${environment}-api`, 'BaseUrl')

  it('is a page with all headers of the list, with the address of the API, and with every file that it names', async () => {
    const { status, headers, body } = await get('/')
    expect(status).toBe(200)
    const { 'Access-Control-Allow-Origin': _, ...expected } = securityHeaders(new URL(await apiUrl()).origin)
    expect(headers).toMatchObject({
      ...Object.fromEntries(Object.entries(expected).map(([name, value]) => [name.toLowerCase(), value])),
      ...{ 'content-type': 'text/html', 'cache-control': cacheControl },
      'strict-transport-security': `max-age=${strictTransportSecurity.seconds}; includeSubDomains`,
    })
    expect(body).toContain(await apiUrl())
    const named = [...body.matchAll(/(?:src|href)="(\/[^"]+\.(?:js|css))"/g)].map(([, path = '']) => path)
    expect(named).not.toEqual([])
    for (const path of named) {
      const file = await get(path)
      expect([file.status, file.headers['cache-control']], path).toEqual([200, cacheControl])
      expect(file.headers['content-type'], path).toMatch(/^text\/(javascript|css)$/)
    }
  })

  it('publishes the contract with the address of the API, by HTTPS only', async () => {
    const { headers, body } = await get('/openapi.json')
    expect(headers['content-type']).toBe('application/json')
    expect(JSON.parse(body).servers).toEqual([expect.objectContaining({ url: await apiUrl() })])
    const { status, headers: redirect } = await get('/openapi.json', 'http')
    expect([status, redirect.location]).toEqual([301, expect.stringMatching(/^https:\/\/.*\/openapi\.json$/)])
  })
})
