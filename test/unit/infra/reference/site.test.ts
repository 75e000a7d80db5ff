import { gzipSync } from 'node:zlib'
import { Token } from 'aws-cdk-lib'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import type { SiteFile } from '../../../../infra/reference/assets.ts'
import { buildSite } from '../../../../infra/reference/site.ts'
import type { SiteOptions } from '../../../../infra/reference/site-options.ts'
import { parseExactJson } from '../../../../shared/exact-json.ts'

const baseUrl = 'https://api.example.org/v1'
const options: SiteOptions = { baseUrl, environment: 'production', contactUrl: 'https://example.org/keys' }
const files = buildSite(options)

const file = (path: string): SiteFile => {
  const found = files.find((one) => one.path === path)
  if (found === undefined) throw new Error(`The site has no ${path}.`)
  return found
}
const textOf = (path: string): string => file(path).body.toString()

describe('The site', () => {
  test('is small enough to be loaded at once: all files that the page loads, compressed', () => {
    const loaded = files.filter(({ path, caching }) => caching === 'immutable' || /^(index|openapi)/.test(path))
    const size = loaded.reduce((sum, { body }) => sum + gzipSync(body).length, 0)
    expect(size).toBeLessThan(700_000)
  })

  test('has the base URL in no file that is kept for ever, and each of these is named by its content', () => {
    const kept = files.filter(({ caching }) => caching === 'immutable')
    expect(kept.map(({ path }) => path.replace(/\.[0-9a-f]{12}\./, '.'))).toEqual([
      'assets/theme.js',
      'assets/page.css',
      'assets/swagger-ui.js',
      'assets/page.js',
      'assets/favicon.svg',
    ])
    for (const { body } of kept) expect(body.includes('api.example.org')).toBe(false)
    const elsewhere = buildSite({ ...options, baseUrl: 'https://other.example.org/v1', environment: 'staging' })
    expect(elsewhere.filter(({ caching }) => caching === 'immutable')).toEqual(kept)
  })

  test('loads what it has, from the root of the site and nowhere else', () => {
    const paths = files.map(({ path }) => path)
    const known = [...paths.map((path) => `/${path}`), 'https://example.org/keys']
    for (const [, path = ''] of textOf('index.html').matchAll(/(?:src|href)="([^"#]*)"/g)) {
      if (path !== '') expect(known).toContain(path)
    }
    expect(textOf(paths.find((path) => path.endsWith('.css')) ?? '')).not.toMatch(/url\((?!["']?data:)|@import/)
  })

  test('takes a base URL that is not known before it is deployed, and escapes what is text', () => {
    const token = Token.asString({ Ref: 'Api' })
    const unknown = buildSite({ baseUrl: token, environment: 'staging', contactUrl: 'mailto:a@example.org?subject="<' })
    for (const path of ['index.html', 'openapi.json', 'openapi.yaml']) {
      expect(unknown.find((one) => one.path === path)?.body).toContain(token)
    }
    expect(unknown[0]?.body).toContain('href="mailto:a@example.org?subject=&#34;&#60;"')
  })

  test('shows the licence of Swagger UI', () => {
    expect(textOf('assets/LICENSE.txt')).toContain('Apache License')
    expect(textOf('assets/NOTICE.txt')).toContain('SmartBear')
    expect(textOf('index.html')).toContain('href="/assets/swagger-ui-bundle.js.LICENSE.txt"')
  })

  test('offers clients and examples that call this environment', () => {
    const offered = files.filter(({ path }) => path.startsWith('clients/')).map(({ body }) => body.toString())
    expect(offered.length).toBeGreaterThan(5)
    expect(offered.filter((text) => text.includes(baseUrl) && text.includes('<API_KEY>'))).toHaveLength(3)
    expect(offered.filter((text) => /127\.0\.0\.1|pet_test_/.test(text))).toEqual([])
  })

  test('offers no demo key where there is none', () => {
    expect(textOf('index.html')).not.toContain('demo key')
    expect(textOf('index.html')).toContain('href="https://example.org/keys"')
  })
})

describe('The contract of an environment', () => {
  test('says the same as JSON and as YAML, with its own base URL, every integer exact', () => {
    const asJson = parseExactJson(textOf('openapi.json'))
    expect(parse(textOf('openapi.yaml'), { intAsBigInt: true, merge: true })).toEqual(asJson)
    expect(asJson).toMatchObject({
      servers: [{ url: baseUrl, description: expect.any(String) }],
      info: { contact: { url: 'https://example.org/keys' } },
    })
    expect(textOf('openapi.json')).toContain('"maximum":9007199254740991')
  })
})
