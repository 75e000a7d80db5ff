import { Token } from 'aws-cdk-lib'
import { expect, it } from 'vitest'
import { buildSite } from '../../../../infra/reference/site.ts'
import { catalogue } from '../../../../shared/contract/generated/errors.ts'
import { parseExactJson } from '../../../../shared/exact-json.ts'
import { findSection, readText } from '../../../fixtures/reference/page-text.ts'

/** A base URL as the stacks have it: a token, because the URL is not known before the deployment. */
const baseUrl = Token.asString({ Ref: 'Api' })

// The contact has characters that HTML escapes.
const site = buildSite({
  baseUrl,
  contactUrl: 'mailto:a@example.org?subject="<',
  environment: 'staging',
  banPolicy: { refusalsBeforeBan: 1_500, firstBanSeconds: 90, longestBanSeconds: 7_200 },
})

const readSiteFile = (path: string): string => {
  const file = site.find((candidate) => candidate.path === path)
  if (file === undefined) throw new Error(`The site has no file ${path}.`)
  return Buffer.from(file.body).toString()
}

const page = readSiteFile('index.html')
const contract = readSiteFile('openapi.json')

it('a deployed site has its own base URL, and none of the local environment', () => {
  // The packages are left out: they are the same everywhere, with an example for the local environment.
  const files = site.filter(({ path }) => !path.startsWith('packages/'))
  const findFilesWith = (part: string) => files.filter(({ body }) => Buffer.from(body).includes(part))

  expect(findFilesWith(baseUrl).map(({ path }) => path)).toEqual(['index.html', 'openapi.json'])
  expect(findFilesWith('127.0.0.1')).toEqual([])
  expect(findFilesWith('pet_test_')).toEqual([])
})

it('the code of a deployed page reads the API key from a variable', () => {
  const text = readText(page)

  expect(text).toContain("export PET_API_KEY='<API_KEY>'")
  expect(text).toContain('-H "Authorization: Bearer $PET_API_KEY"')
  expect(text).toMatch(/Authorization: `Bearer \$\{process\.env\.PET_API_KEY\}`/)
  expect(text).toContain('"Authorization": "Bearer " + os.environ["PET_API_KEY"]')
  expect(text).toContain('apiKey: process.env.PET_API_KEY,')
  expect(text).toContain('import os\n\nfrom pet_adoption import')
  expect(text).toContain('api_key=os.environ["PET_API_KEY"],')
})

it('a deployed page links the contact of its operator, and has no key in its field', () => {
  expect(findSection(page, 'get-a-key')).toContain('href="mailto:a@example.org?subject=&#34;&#60;"')
  expect(page).not.toContain('demo key')
  expect(page).toMatch(/<input id="api-key"[^>]*>/)
  expect(page).not.toMatch(/<input id="api-key"[^>]*value=/)
})

it('the page of staging names its environment', () => {
  expect(page).toContain('Staging environment')
})

it('the guide has the ban policy of the environment', () => {
  const text = readText(page).replace(/\s+/g, ' ')

  expect(text).toContain('After 1,500 such refusals the key is banned for 90 seconds.')
  expect(text).toContain('lasts twice as long, up to 2 hours.')
})

it('the page, its style sheet, its script and its icon have at most 85 KB', () => {
  const bytes = ['index.html', 'page.css', 'page.js', 'favicon.svg'].map((path) =>
    Buffer.byteLength(readSiteFile(path)),
  )

  expect(bytes.reduce((sum, length) => sum + length)).toBeLessThanOrEqual(85 * 1_024)
})

it('the row of each error says whether to retry', () => {
  const rows = page.matchAll(/<tr id="error-(\w+)".*?<\/tr>/gs)
  const retries: Record<string, string | undefined> = {}
  for (const [row, code = ''] of rows) retries[code] = />(yes[^<]*|no)</.exec(row)?.[1]

  expect(Object.keys(retries)).toEqual(Object.keys(catalogue))
  expect(retries).toMatchObject({
    pet_not_found: 'no',
    rate_limit_exceeded: 'yes, after Retry-After',
    internal_error: 'yes, after a random time',
  })
})

it('the published contract has the base URL and the contact of the environment, and exact integers', () => {
  expect(parseExactJson(contract)).toMatchObject({
    info: { contact: { url: 'mailto:a@example.org?subject="<' } },
    servers: [{ url: baseUrl, description: expect.any(String) }],
  })
  expect(contract).toContain('"maximum":9007199254740991')
})
