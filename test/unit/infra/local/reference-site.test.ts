import { expect, it } from 'vitest'
import { defaults } from '../../../../infra/environments.ts'
import { createReferenceSite } from '../../../../infra/local/reference-site.ts'
import { buildSecurityHeaders, cacheControl } from '../../../../infra/reference/security-headers.ts'

// The site needs a policy of bans for its guide, which these tests do not read.
const { banPolicy } = defaults.staging
const page = { path: 'index.html', contentType: 'text/html', body: '<!doctype html>' }
const site = createReferenceSite({ baseUrl: 'http://127.0.0.1:3000/v1', environment: 'local', banPolicy }, async () => [
  page,
])

const requestPath = (rawPath: string) =>
  site.respond({
    requestId: 'a-request',
    extendedRequestId: 'a-request',
    httpMethod: 'GET',
    rawPath,
    rawQuery: '',
    headers: {},
    sourceIp: '127.0.0.1',
    readBody: async () => '',
  })

it('the local environment serves the reference with the headers that it has on AWS', async () => {
  const headers = {
    ...buildSecurityHeaders('http://127.0.0.1:3000'),
    'Content-Type': 'text/html',
    'Cache-Control': cacheControl,
  }

  expect(await requestPath('/')).toEqual({ status: 200, headers: Object.entries(headers), body: page.body })
})

it('a path without a file of the reference is left to the gateway', async () => {
  expect(await requestPath('/nothing')).toBeUndefined()
})
