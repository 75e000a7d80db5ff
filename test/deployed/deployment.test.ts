import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { beforeAll, describe, expect, it } from 'vitest'
import { environmentNames, environments } from '../../infra/environments.ts'
import { buildSecurityHeaders, cacheControl, strictTransportSecurity } from '../../infra/reference/security-headers.ts'
import { buildSite } from '../../infra/reference/site.ts'
import { indexPath } from '../../infra/reference/site-options.ts'
import { runNode } from '../fixtures/machine/node-process.ts'
import { emulatorUrl, isDeployed, openDeployedEnvironment, readStackOutput } from './environments.ts'

/**
 * Titles of the end-to-end tests that fail on the emulator, each with the difference between the emulator and API
 * Gateway. environments.ts and emulated-app.ts adapt requests and templates, so that all other tests pass.
 */
const failingTests: Readonly<Record<string, string>> = {
  'a request that names no operation > the path "/pets//1" below the base URL is 404':
    'The emulator drops an empty segment of a path. API Gateway keeps it within `{proxy+}`, as recorded on AWS.',
}

describe.skipIf(!isDeployed)('npm run smoke', () => {
  let smoke: Awaited<ReturnType<typeof runNode>>

  beforeAll(async () => {
    await using staging = await openDeployedEnvironment('staging')
    const args = ['infra/commands/run.ts', 'smoke', '--env', 'staging', '--base-url', staging.baseUrl, '--json']
    // The emulator starts a process for each request. The local environment runs the same bundles at the large size.
    smoke = await runNode(args, { TEST_SIZE: 'small' })
  })

  it('npm run smoke fails only in known differences of the emulator', () => {
    // Vitest prints a failed test more than once.
    const failedTitles = new Set<string>()
    for (const [, title = ''] of smoke.errors.matchAll(/^ *FAIL .*?\.test\.ts > (.*)$/gm)) failedTitles.add(title)

    expect([...failedTitles].toSorted(), smoke.errors).toEqual(Object.keys(failingTests))
  })

  // A run that sends few requests would find no unknown difference either.
  it('npm run smoke passes more than 140 tests', () => {
    expect(JSON.parse(smoke.output).passed).toBeGreaterThan(140)
  })
})

/** Requests a file from CloudFront. The emulator reads the distribution and the scheme from these headers. */
const requestFile = async (host: string, path: string, scheme: 'http' | 'https') => {
  const { hostname, port } = new URL(emulatorUrl)
  const headers = { host, 'x-forwarded-proto': scheme }
  const [response]: IncomingMessage[] = await once(request({ hostname, port, path, headers }).end(), 'response')
  if (response === undefined) throw new Error(`There was no response for ${path}.`)
  return { status: response.statusCode, headers: response.headers, body: await buffer(response) }
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
  it(`the reference of ${environment} serves every file with all headers, by HTTPS only`, async () => {
    const { host } = new URL(await readStackOutput(`pet-adoption-${environment}-reference`, 'ReferenceUrl'))
    const baseUrl = await readStackOutput(`pet-adoption-${environment}-api`, 'BaseUrl')
    const headers = listExpectedHeaders(baseUrl)
    // The files contain the address of the API.
    const site = buildSite({ baseUrl, environment, banPolicy: environments[environment].banPolicy })
    const files = site.map((file) => ({ ...file, path: `/${file.path}` }))
    const startPage = files.filter(({ path }) => path === `/${indexPath}`).map((file) => ({ ...file, path: '/' }))

    for (const { path, contentType, body } of [...files, ...startPage]) {
      const headersOfFile = { ...headers, 'content-type': contentType }
      const expected = { status: 200, headers: headersOfFile, body: Buffer.from(body) }
      expect(await requestFile(host, path, 'https'), path).toMatchObject(expected)
      const redirect = { status: 301, headers: { location: `https://${host}${path}` } }
      expect(await requestFile(host, path, 'http'), path).toMatchObject(redirect)
    }
    expect(await requestFile(host, '/clients', 'https')).toMatchObject({ status: 404, headers })
  })
})
