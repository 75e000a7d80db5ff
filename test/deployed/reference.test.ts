import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { expect, it } from 'vitest'
import { environmentNames } from '../../infra/environments.ts'
import { cacheControl, securityHeaders, strictTransportSecurity } from '../../infra/reference/security-headers.ts'
import { emulator, isDeployed, outputOf } from './environments.ts'

/** A response of CloudFront for a file, by HTTPS or HTTP: the emulator is told the scheme, and finds distributions by their hosts. */
const get = async (referenceUrl: string, path: string, scheme = 'https') => {
  const { hostname, port } = new URL(emulator().endpoint)
  const headers = { host: new URL(referenceUrl).host, 'x-forwarded-proto': scheme }
  const [response]: IncomingMessage[] = await once(request({ hostname, port, path, headers }).end(), 'response')
  if (response === undefined) throw new Error(`There was no response for ${path}.`)
  return { status: response.statusCode, headers: response.headers, body: await text(response) }
}

it.skipIf(!isDeployed).each(environmentNames)(
  'the reference of %s is a page and every file that it names, with all headers of the list and the address of the API, by HTTPS only',
  async (environment) => {
    const url = await outputOf(`pet-adoption-${environment}-reference`, 'ReferenceUrl')
    const apiUrl = await outputOf(`pet-adoption-${environment}-api`, 'BaseUrl')
    const page = await get(url, '/')
    const named = [...page.body.matchAll(/(?:src|href)="(\/[^"]+\.(?:js|css))"/g)].map(([, path = '']) => path)
    expect(named).not.toEqual([])
    const { 'Access-Control-Allow-Origin': _, ...expected } = securityHeaders(new URL(apiUrl).origin)
    for (const path of ['/', '/openapi.json', ...named]) {
      const { status, headers } = await get(url, path)
      expect([status, headers], path).toMatchObject([
        200,
        {
          ...Object.fromEntries(Object.entries(expected).map(([name, value]) => [name.toLowerCase(), value])),
          'cache-control': cacheControl,
          'strict-transport-security': `max-age=${strictTransportSecurity.seconds}; includeSubDomains`,
        },
      ])
      const redirect = await get(url, path, 'http')
      expect([redirect.status, redirect.headers.location], path).toEqual([301, `https://${new URL(url).host}${path}`])
    }
    expect(page.body).toContain(apiUrl)
    expect(JSON.parse((await get(url, '/openapi.json')).body).servers).toEqual([
      expect.objectContaining({ url: apiUrl }),
    ])
  },
)
