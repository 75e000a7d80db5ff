import { createConfig, lintFromString } from '@redocly/openapi-core'
import { Token } from 'aws-cdk-lib'
import { expect, it } from 'vitest'
import { parse } from 'yaml'
import { buildSite } from '../../../../infra/reference/site.ts'
import { catalogue } from '../../../../shared/contract/generated/errors.ts'
import { parseExactJson, stringifyExactJson } from '../../../../shared/exact-json.ts'
import { findSection, readText } from './page-text.ts'

/** A base URL that is not known until the stack is deployed. */
const baseUrl = Token.asString({ Ref: 'Api' })

const examples = [
  'clients/typescript/example.ts',
  'clients/typescript/follow-new-animals.ts',
  'clients/python/example.py',
  'clients/python/follow_new_animals.py',
]

const site = buildSite({
  baseUrl,
  contactUrl: 'mailto:a@example.org?subject="<',
  environment: 'staging',
  banPolicy: { refusalsBeforeBan: 1_500, firstBanSeconds: 90, longestBanSeconds: 7_200 },
})

const findFilesWith = (part: string): readonly string[] =>
  site.filter(({ body }) => Buffer.from(body).includes(part)).map(({ path }) => path)

const readSiteFile = (path: string): string => {
  const file = site.find((candidate) => candidate.path === path)
  if (file === undefined) throw new Error(`The site has no file ${path}.`)
  return Buffer.from(file.body).toString()
}

it('the page, the contract and the examples of a site have its base URL', () => {
  expect(findFilesWith(baseUrl)).toEqual(['index.html', 'openapi.json', 'openapi.yaml', ...examples])
})

it('the examples of a deployed site have a placeholder for the API key', () => {
  expect(findFilesWith('<API_KEY>')).toEqual(expect.arrayContaining(examples))
})

it('the code of a deployed page reads the API key from a variable', () => {
  const page = readText(readSiteFile('index.html'))

  expect(page).toContain("export PET_API_KEY='<API_KEY>'")
  expect(page).toContain('-H "Authorization: Bearer $PET_API_KEY"')
  expect(page).toMatch(/Authorization: `Bearer \$\{process\.env\.PET_API_KEY\}`/)
  expect(page).toContain('"Authorization": "Bearer " + os.environ["PET_API_KEY"]')
  expect(page).toContain('apiKey: process.env.PET_API_KEY,')
  expect(page).toContain('import os\n\nfrom pet_adoption import')
  expect(page).toContain('api_key=os.environ["PET_API_KEY"],')
})

// The packages are the same everywhere, with an example for the local environment.
const isPackage = (path: string): boolean => /\.(tgz|whl)$/.test(path)

it('a deployed site has no URL of the local environment', () => {
  expect(findFilesWith('127.0.0.1').filter((path) => !isPackage(path))).toEqual([])
})

it('a deployed site has no demo key, and names the operator of the API instead', () => {
  expect(findFilesWith('pet_test_').filter((path) => !isPackage(path))).toEqual([])
  const page = readSiteFile('index.html')
  expect(page).not.toContain('demo key')
  expect(findSection(page, 'get-a-key')).toContain('href="mailto:a@example.org?subject=&#34;&#60;"')
})

it('the page of staging names its environment', () => {
  expect(readSiteFile('index.html')).toContain('Staging environment')
})

// Keep the statuses equal to those in clients/cases.ts.
it('the guide of the page names the statuses that clients retry', () => {
  expect(readSiteFile('index.html')).toContain('Retry after a response with the status 429, 500, 502, 503 or 504')
})

it('the guide has the ban policy of the environment', () => {
  const text = readText(readSiteFile('index.html')).replace(/\s+/g, ' ')

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
  const rows = readSiteFile('index.html').matchAll(/<tr id="error-(\w+)".*?<\/tr>/gs)
  const retries: Record<string, string | undefined> = {}
  for (const [row, code = ''] of rows) retries[code] = />(yes[^<]*|no)</.exec(row)?.[1]

  expect(Object.keys(retries)).toEqual(Object.keys(catalogue))
  expect(retries).toMatchObject({
    pet_not_found: 'no',
    rate_limit_exceeded: 'yes, after Retry-After',
    service_unavailable: 'yes, after Retry-After',
    internal_error: 'yes, after a random time',
    not_implemented: 'no',
  })
})

it('the published contract has the base URL of the environment', () => {
  expect(parseExactJson(readSiteFile('openapi.json'))).toMatchObject({
    servers: [{ url: baseUrl, description: expect.any(String) }],
  })
})

it('the published contract has the URL of the contact', () => {
  expect(parseExactJson(readSiteFile('openapi.json'))).toMatchObject({
    info: { contact: { url: 'mailto:a@example.org?subject="<' } },
  })
})

it('the contract in YAML is the same as in JSON', () => {
  const contract = parse(readSiteFile('openapi.yaml'), { intAsBigInt: true })

  expect(stringifyExactJson(contract)).toBe(readSiteFile('openapi.json'))
})

it('the page has the releases of the changelog', () => {
  const page = readSiteFile('index.html')

  expect(page).toContain('<h3 id="changes-1.0.0"><a href="#changes-1.0.0">1.0.0</a></h3>')
  expect(page).toContain('<li>The first release.</li>')
})

it('readers of YAML 1.1 find no date and no other value of their own in the contract in YAML', () => {
  const contract = parse(readSiteFile('openapi.yaml'), { intAsBigInt: true, version: '1.1' })

  expect(stringifyExactJson(contract)).toBe(readSiteFile('openapi.json'))
})

it('a linter finds no unused component in the published contract', async () => {
  const config = await createConfig({ rules: { 'no-unused-components': 'error' } })

  expect(await lintFromString({ source: readSiteFile('openapi.json'), config })).toEqual([])
})

it('the published contract has exact integers', () => {
  expect(readSiteFile('openapi.json')).toContain('"maximum":9007199254740991')
})
