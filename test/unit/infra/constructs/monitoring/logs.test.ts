import { readFileSync } from 'node:fs'
import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import { functionNames } from '../../../../../infra/bundling/function-bundle.ts'
import { bytes } from '../../../../../infra/operations/cost/estimate.ts'
import { propertiesOf, synthesize } from '../../synthesized.ts'

const { api } = synthesize('production')

const [stage] = propertiesOf(api, 'AWS::ApiGateway::Stage')
const format: Readonly<Record<string, string>> = JSON.parse(stage.AccessLogSetting.Format)
const runbook = readFileSync(new URL('../../../../../infra/README.md', import.meta.url), 'utf8')

describe('the access log', () => {
  it('has no key, no hash of a key, and nothing that a caller chooses except a UUID', () => {
    const all = JSON.stringify(format)
    const secrets = ['apiKey', 'identity', 'path"', 'querystring', 'header', 'error.message', 'principalId', 'xray']
    for (const secret of secrets) expect(all).not.toContain(secret)
  })

  it('of an ordinary request is as long as the cost command counts it, with 26 bytes that CloudWatch adds', () => {
    const typical: Readonly<Record<string, string>> = {
      ...{ method: 'POST', route: '/pets/{petId}', status: '200', errorCode: 'none', responseType: '-' },
      ...{ keyId: 'k'.repeat(21), plan: 'enterprise', extendedRequestId: 'e'.repeat(16) },
      ...{ latency: '120', authorizerLatency: '12', integrationLatency: '15' },
    }
    const filled = Object.keys(format).map((name) => [name, typical[name] ?? '0'.repeat(36)])
    expect(JSON.stringify(Object.fromEntries(filled)).length + 26).toBe(bytes.logLine)
  })
})

describe('the saved queries', () => {
  const queries = propertiesOf(api, 'AWS::Logs::QueryDefinition').map(({ Name, QueryString, LogGroupNames }) => ({
    ...{ name: Name.replace('pet-adoption-production/', ''), text: QueryString, logs: LogGroupNames.length },
  }))

  it('are those that the runbook names', () => {
    const names = queries.map(({ name }) => name)
    const called = [...runbook.matchAll(/saved\s+query\s+`([\w-]+)`/gi)].map(([, name]) => name)
    expect(called.filter((name) => !names.includes(String(name)))).toEqual([])
    expect(names.filter((name) => !runbook.includes(`\`${name}\``))).toEqual([])
  })

  it('name fields of the access log, but for the one that reads the logs of all functions', () => {
    expect(Math.max(...queries.map(({ logs }) => logs))).toBe(functionNames().length)
    for (const { text } of queries.filter(({ logs }) => logs === 1)) {
      const words: string[] = text.replaceAll(/"[^"]*"|\/[^/]*\/|\bas \w+|sort \w+/g, '').match(/\b[a-zA-Z]+\b/g) ?? []
      const syntax = ['filter', 'like', 'and', 'or', 'stats', 'count', 'pct', 'by', 'sort', 'desc', 'display']
      for (const word of words.filter((one) => !syntax.includes(one))) expect(Object.keys(format), text).toContain(word)
    }
  })
})

describe('a request is counted', () => {
  const filters = propertiesOf(api, 'AWS::Logs::MetricFilter')

  /** Reads a filter pattern as CloudWatch Logs does: comparisons of text with `*` at the end, `&&`, parentheses. */
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
    [{ status: '429', errorCode: 'rate_limit_exceeded' }, []],
    [{ status: '503', responseType: 'AUTHORIZER_FAILURE' }, ['AuthorizerFailures', 'Failed']],
    [{ status: '503', responseType: 'AUTHORIZER_CONFIGURATION_ERROR' }, ['AuthorizerFailures', 'Failed']],
    [{ status: '500', errorCode: 'none' }, ['Failed']],
    [{ status: '501', errorCode: 'none' }, []],
    [{ status: '504', responseType: 'INTEGRATION_TIMEOUT' }, ['Failed']],
  ])('%o as %o', (line, expected) => {
    const counting = filters.filter(({ FilterPattern }) => matches(FilterPattern, line))
    expect(counting.map(({ MetricTransformations: [{ MetricName }] }) => MetricName).toSorted()).toEqual(expected)
  })
})
