import { Token } from 'aws-cdk-lib'
import { expect, test } from 'vitest'
import { readContract } from '../../../../infra/contract/contract.ts'
import { buildSite } from '../../../../infra/reference/site.ts'
import type { SiteOptions } from '../../../../infra/reference/site-options.ts'
import { parseExactJson } from '../../../../shared/exact-json.ts'

const baseUrl = 'https://api.example.org/v1'
const options: SiteOptions = { baseUrl, environment: 'production', contactUrl: 'https://example.org/keys' }
const files = new Map(buildSite(options).map(({ path, body }) => [path, body]))
const textOf = (path: string): string => files.get(path) ?? ''

test('The site is small enough to be loaded at once: all files that the page loads, as they are', () => {
  const loaded = ['index.html', 'page.css', 'page.js', 'favicon.svg'].map(textOf)
  expect(loaded.every((text) => text.length > 100)).toBe(true)
  expect(Buffer.byteLength(loaded.join(''))).toBeLessThan(25_000 * readContract().operations.length)
})

test('The site takes a base URL that is not known before it is deployed, and escapes what is text', () => {
  const token = Token.asString({ Ref: 'Api' })
  const unknown = buildSite({ baseUrl: token, environment: 'staging', contactUrl: 'mailto:a@example.org?subject="<' })
  expect(unknown.filter(({ body }) => body.includes(token)).map(({ path }) => path)).toEqual([
    'index.html',
    'openapi.json',
    'clients/typescript/example.ts',
    'clients/python/example.py',
  ])
  expect(unknown[0]?.body).toContain('href="mailto:a@example.org?subject=&#34;&#60;"')
  expect(unknown[0]?.body).toContain('Staging environment')
})

test('The site offers clients and examples that call this environment, and no demo key where there is none', () => {
  const offered = [...files].filter(([path]) => path.startsWith('clients/')).map(([, text]) => text)
  expect(offered.filter((text) => text.includes(baseUrl) && text.includes('<API_KEY>'))).toHaveLength(2)
  expect(offered.filter((text) => /127\.0\.0\.1|pet_test_/.test(text))).toEqual([])
  expect(textOf('index.html')).not.toContain('demo key')
})

test('The site publishes the contract with its own base URL, without anchors, every integer exact', () => {
  expect(parseExactJson(textOf('openapi.json'))).toMatchObject({
    servers: [{ url: baseUrl, description: expect.any(String) }],
    info: { contact: { url: 'https://example.org/keys' } },
    paths: {
      '/pets': { get: { responses: { 400: { $ref: expect.any(String) }, 504: { $ref: expect.any(String) } } } },
    },
  })
  expect(textOf('openapi.json')).toContain('"maximum":9007199254740991')
  expect(textOf('openapi.json')).not.toContain('<<')
})
