import { Token } from 'aws-cdk-lib'
import { expect, test } from 'vitest'
import { buildSite } from '../../../../infra/reference/site.ts'
import { parseExactJson } from '../../../../shared/exact-json.ts'

const baseUrl = Token.asString({ Ref: 'Api' })
const contactUrl = 'mailto:a@example.org?subject="<'
const site = buildSite({ baseUrl, contactUrl, environment: 'staging' })
const textOf = (name: string): string => site.find(({ path }) => path === name)?.body ?? ''

test('The site has a base URL that is not known before it is deployed, nothing of this machine, and text escaped', () => {
  const filesWith = (part: string) => site.filter(({ body }) => body.includes(part)).map(({ path }) => path)
  const examples = [
    'clients/typescript/example.ts',
    'clients/typescript/follow-new-animals.ts',
    'clients/python/example.py',
    'clients/python/follow_new_animals.py',
  ]
  expect(filesWith(baseUrl)).toEqual(['index.html', 'openapi.json', ...examples])
  expect(filesWith('<API_KEY>')).toEqual(expect.arrayContaining(examples))
  expect([filesWith('127.0.0.1'), filesWith('pet_test_')]).toEqual([[], []])
  expect(textOf('index.html')).not.toContain('demo key')
  expect(textOf('index.html')).toContain('href="mailto:a@example.org?subject=&#34;&#60;"')
  expect(textOf('index.html')).toContain('Staging environment')
})

test('The site publishes the contract without anchors, every integer exact', () => {
  expect(parseExactJson(textOf('openapi.json'))).toMatchObject({
    servers: [{ url: baseUrl, description: expect.any(String) }],
    info: { contact: { url: contactUrl } },
    paths: {
      '/pets': { get: { responses: { 400: { $ref: expect.any(String) }, 504: { $ref: expect.any(String) } } } },
    },
  })
  expect(textOf('openapi.json')).toContain('"maximum":9007199254740991')
  expect(textOf('openapi.json')).not.toContain('<<')
})
