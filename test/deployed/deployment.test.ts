import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import { environmentNames } from '../../infra/environments.ts'
import { smokeOwner } from '../../infra/operations/keys/key.ts'
import { buildSecurityHeaders, cacheControl, strictTransportSecurity } from '../../infra/reference/security-headers.ts'
import { buildSite } from '../../infra/reference/site.ts'
import { runNode } from '../fixtures/node-process.ts'
import { emulatorUrl, isDeployed, openDeployedEnvironment, readStackOutput } from './environments.ts'

/**
 * The end-to-end tests that fail on the emulator, each with the difference between the emulator and API Gateway.
 * front.ts and emulated-app.ts adapt requests and templates, so that all other tests pass.
 */
const failingTests: Readonly<Record<string, string>> = {
  'a browser on another origin > a response has the request ids of the access log':
    'The emulator sends no `x-amz-apigw-id`.',
  'a request that names no operation > the path /pets//1 is 404':
    'The emulator drops an empty segment of a path. API Gateway keeps it within `{proxy+}`, as recorded on AWS.',
}

describe.skipIf(!isDeployed)('the deployed API', () => {
  it('passes npm run smoke, except for known differences of the emulator', async () => {
    await using staging = await openDeployedEnvironment('staging')
    const args = ['infra/operations/smoke/smoke.ts', '--env', 'staging', '--json']

    const { output, errors } = await runNode(args, { PET_API_URL: staging.baseUrl })

    // Vitest prints a failed test more than once.
    const failed = new Set<string>()
    for (const [, title = ''] of errors.matchAll(/^ *FAIL .*?\.test\.ts > (.*)$/gm)) failed.add(title)
    expect([...failed].toSorted(), errors).toEqual(Object.keys(failingTests))
    expect(JSON.parse(output).passed).toBeGreaterThan(150)
    const smokeKeys = (await staging.administration.list()).filter(({ owner }) => owner === smokeOwner)
    expect(
      smokeKeys.filter(({ state }) => state !== 'revoked'),
      'keys that npm run smoke has left',
    ).toEqual([])
  })

  it('accepts in production only keys of production', async () => {
    await using staging = await openDeployedEnvironment('staging')
    await using production = await openDeployedEnvironment('production')

    const { apiKey: testKey } = await staging.addPet()
    const { apiKey: liveKey } = await production.addPet()

    expect(liveKey).toMatch(/^pet_live_/)
    expect(await production.requestStatus(liveKey)).toBe(200)
    expect(await production.requestStatus(testKey)).toBe(401)
    expect(await staging.requestStatus(liveKey)).toBe(401)
  })
})

/** Requests a file from CloudFront. The emulator reads the distribution and the scheme from these headers. */
const requestFile = async (host: string, path: string, scheme: 'http' | 'https') => {
  const { hostname, port } = new URL(emulatorUrl)
  const headers = { host, 'x-forwarded-proto': scheme }
  const [response]: IncomingMessage[] = await once(request({ hostname, port, path, headers }).end(), 'response')
  if (response === undefined) throw new Error(`There was no response for ${path}.`)
  return { status: response.statusCode, headers: response.headers, body: await text(response) }
}

/** Lists the headers that every file of the reference has, with their names in lower case. */
const listExpectedHeaders = (apiUrl: string): Record<string, string> => {
  const expected: Record<string, string> = {
    'cache-control': cacheControl,
    'strict-transport-security': `max-age=${strictTransportSecurity.seconds}; includeSubDomains`,
  }
  for (const [name, value] of Object.entries(buildSecurityHeaders(new URL(apiUrl).origin))) {
    // CloudFront adds this header only where a request has an Origin.
    if (name !== 'Access-Control-Allow-Origin') expected[name.toLowerCase()] = value
  }
  return expected
}

describe.skipIf(!isDeployed).each(environmentNames)('the reference of %s', (environment) => {
  it('has every file with all headers, by HTTPS only', async () => {
    const { host } = new URL(await readStackOutput(`pet-adoption-${environment}-reference`, 'ReferenceUrl'))
    const baseUrl = await readStackOutput(`pet-adoption-${environment}-api`, 'BaseUrl')
    const headers = listExpectedHeaders(baseUrl)
    // The files contain the address of the API.
    const site = buildSite({ baseUrl, environment })
    const files = site.map(({ path, body }) => ({ path: `/${path}`, body }))
    const startPage = { path: '/', body: site[0]?.body }

    for (const { path, body } of [...files, startPage]) {
      expect(await requestFile(host, path, 'https'), path).toMatchObject({ status: 200, headers, body })
      const redirect = { status: 301, headers: { location: `https://${host}${path}` } }
      expect(await requestFile(host, path, 'http'), path).toMatchObject(redirect)
    }
    expect(await requestFile(host, '/clients', 'https')).toMatchObject({ status: 404, headers })
  })
})
