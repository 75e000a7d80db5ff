import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import { environmentNames } from '../../infra/environments.ts'
import { smokeOwner } from '../../infra/operations/keys/key.ts'
import { buildSecurityHeaders, cacheControl, strictTransportSecurity } from '../../infra/reference/security-headers.ts'
import { buildSite } from '../../infra/reference/site.ts'
import { emulator, isDeployed, outputOf, reach, runNode } from './environments.ts'

/**
 * The end-to-end tests that fail on the emulator, by their names after those of their groups, each with how the emulator
 * differs from API Gateway. front.ts and emulated-app.ts say what they do so that all other tests run.
 */
const failingTests: Readonly<Record<string, string>> = {
  'a request that names no operation > the path /pets//1 is 404':
    'The emulator drops an empty segment of a path. API Gateway keeps it within `{proxy+}`, as recorded on AWS.',
  'a browser on another origin > a response has the request ids of the access log':
    'The emulator sends no `x-amz-apigw-id`.',
}

describe.skipIf(!isDeployed)('the deployed API', () => {
  it('passes npm run smoke, but for what the emulator is known to do otherwise, which leaves no key', async () => {
    await using staging = await reach('staging')
    const words = ['infra/operations/smoke/smoke.ts', '--env', 'staging', '--json']
    const { output, errors } = await runNode(words, { PET_API_URL: staging.baseUrl })
    const failed = [...errors.matchAll(/^ *FAIL .*?\.test\.ts > (.*)$/gm)].map(([, name]) => name)
    expect([...new Set(failed)].sort(), errors).toEqual(Object.keys(failingTests).sort())
    expect(JSON.parse(output).passed).toBeGreaterThan(150)
    const keys = (await staging.administration.list()).filter(({ owner }) => owner === smokeOwner)
    expect(keys.filter(({ state }) => state !== 'revoked')).toEqual([])
  })

  it('accepts in production the keys of production, and no key of staging', async () => {
    await using staging = await reach('staging')
    await using production = await reach('production')
    const [test, live] = [(await staging.addPet()).apiKey, (await production.addPet()).apiKey]
    expect(live).toMatch(/^pet_live_/)
    expect(await production.statusOf(live)).toBe(200)
    expect(await production.statusOf(test)).toBe(401)
    expect(await staging.statusOf(live)).toBe(401)
  })
})

/** A response of CloudFront for a file, by HTTPS or HTTP: the emulator is told the scheme, and finds distributions by their hosts. */
const get = async (host: string, path: string, scheme: string) => {
  const { hostname, port } = new URL(emulator)
  const headers = { host, 'x-forwarded-proto': scheme }
  const [response]: IncomingMessage[] = await once(request({ hostname, port, path, headers }).end(), 'response')
  if (response === undefined) throw new Error(`There was no response for ${path}.`)
  return { status: response.statusCode, headers: response.headers, body: await text(response) }
}

it.skipIf(!isDeployed).each(environmentNames)(
  'the reference of %s has every file, with all headers of the list and the address of the API, by HTTPS only',
  async (environment) => {
    const { host } = new URL(await outputOf(`pet-adoption-${environment}-reference`, 'ReferenceUrl'))
    const baseUrl = await outputOf(`pet-adoption-${environment}-api`, 'BaseUrl')
    const { 'Access-Control-Allow-Origin': _, ...listed } = buildSecurityHeaders(new URL(baseUrl).origin)
    const headers = {
      ...Object.fromEntries(Object.entries(listed).map(([name, value]) => [name.toLowerCase(), value])),
      'cache-control': cacheControl,
      'strict-transport-security': `max-age=${strictTransportSecurity.seconds}; includeSubDomains`,
    }
    const files = buildSite({ baseUrl, environment }).map(({ path, body }) => [`/${path}`, body] as const)
    for (const [path, body] of [...files, ['/', files[0]?.[1]] as const]) {
      expect(await get(host, path, 'https'), path).toMatchObject({ status: 200, headers, body })
      const location = `https://${host}${path}`
      expect(await get(host, path, 'http'), path).toMatchObject({ status: 301, headers: { location } })
    }
    expect(await get(host, '/clients', 'https')).toMatchObject({ status: 404, headers })
  },
)
