import { readFileSync } from 'node:fs'
import { runInNewContext } from 'node:vm'
import { expect, it } from 'vitest'
import { listFunctionNames } from '../../../../../infra/bundling/function-bundle.ts'
import { measuredBytes } from '../../../../../infra/operations/cost/estimate.ts'
import { findProperties, synthesizeTemplates } from '../../../../fixtures/templates.ts'

const { api } = synthesizeTemplates('production')

const [stage] = findProperties(api, 'AWS::ApiGateway::Stage')
const format: Readonly<Record<string, string>> = JSON.parse(stage.AccessLogSetting.Format)
const runbook = readFileSync(new URL('../../../../../infra/README.md', import.meta.url), 'utf8')

it('the access log has no key, no hash of a key, and nothing that a caller chooses except a UUID', () => {
  const secret = /apiKey|identity|path"|querystring|header|error\.message|principalId|xray/
  expect(JSON.stringify(format)).not.toMatch(secret)
})

it('a line of an ordinary request is as long as the cost command counts it, with 26 bytes that CloudWatch adds', () => {
  const typical: Readonly<Record<string, string>> = {
    ...{ method: 'POST', route: '/pets/{petId}', status: '200', errorCode: 'none', responseType: '-' },
    ...{ keyId: 'k'.repeat(21), plan: 'enterprise', extendedRequestId: 'e'.repeat(16) },
    ...{ latency: '120', authorizerLatency: '12', integrationLatency: '15' },
  }
  const filled = Object.keys(format).map((name) => [name, typical[name] ?? '0'.repeat(36)])
  expect(JSON.stringify(Object.fromEntries(filled)).length + 26).toBe(measuredBytes.logLine)
})

const queries = findProperties(api, 'AWS::Logs::QueryDefinition')

it('the saved queries are those that the runbook names', () => {
  const names = queries.map(({ Name }) => Name.replace('pet-adoption-production/', ''))
  const called = [...runbook.matchAll(/saved\s+query\s+`([\w-]+)`/gi)].map(([, name]) => name)
  expect(names).toEqual(expect.arrayContaining(called))
  expect(names.filter((name) => !runbook.includes(`\`${name}\``))).toEqual([])
})

it('they name fields of the access log, but for the one that reads the logs of all functions', () => {
  const ofAccessLog = queries.filter(({ LogGroupNames }) => LogGroupNames.length < listFunctionNames().length)
  expect(ofAccessLog).toHaveLength(queries.length - 1)
  const syntax = ['filter', 'like', 'and', 'or', 'stats', 'count', 'pct', 'by', 'sort', 'desc', 'display']
  for (const { QueryString: text } of ofAccessLog) {
    const words = text.replaceAll(/"[^"]*"|\/[^/]*\/|\bas \w+|sort \w+/g, '').match(/\b[a-zA-Z]+\b/g)
    expect([...syntax, ...Object.keys(format)]).toEqual(expect.arrayContaining(words))
  }
})

/** Whether a filter pattern counts a line: comparisons of text with `*` at the end, `&&` and parentheses. */
const matches = (pattern: string, line: Readonly<Record<string, string>>): boolean => {
  const expression = pattern
    .replace(/^\{(.*)\}$/, '$1')
    .replace(/\$\.(\w+) (!?=) "([^"*]*)(\*?)"/g, (_, field, is, wanted, any) => {
      const value = line[field] ?? '-'
      return String((any === '*' ? value.startsWith(wanted) : value === wanted) === (is === '='))
    })
  expect(expression, pattern).toMatch(/^(true|false|&&|[() ])+$/)
  return runInNewContext(expression)
}

it.each<[Record<string, string>, string[]]>([
  [{ status: '200', errorCode: 'none' }, []],
  [{ status: '401', responseType: 'UNAUTHORIZED' }, []],
  [{ status: '503', responseType: 'AUTHORIZER_FAILURE' }, ['AuthorizerFailures', 'Failed']],
  [{ status: '503', responseType: 'AUTHORIZER_CONFIGURATION_ERROR' }, ['AuthorizerFailures', 'Failed']],
  [{ status: '500', errorCode: 'none' }, ['Failed']],
  [{ status: '501', errorCode: 'none' }, []],
  [{ status: '504', responseType: 'INTEGRATION_TIMEOUT' }, ['Failed']],
])('a request %o is counted as %o', (line, expected) => {
  const filters = findProperties(api, 'AWS::Logs::MetricFilter')
  const counting = filters.filter(({ FilterPattern }) => matches(FilterPattern, line))
  expect(counting.map(({ MetricTransformations: [{ MetricName }] }) => MetricName).toSorted()).toEqual(expected)
})
