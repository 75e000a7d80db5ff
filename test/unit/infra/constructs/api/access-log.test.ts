import { readFileSync } from 'node:fs'
import { runInNewContext } from 'node:vm'
import type { Template } from 'aws-cdk-lib/assertions'
import { describe, expect, it } from 'vitest'
import { functionNames } from '../../../../../infra/bundling/function-bundle.ts'
import { assumed } from '../../../../../infra/operations/cost/estimate.ts'
import { everyOption, resourcesOf, synthesize } from '../../synthesized.ts'

const { api } = synthesize('production')

const stageOf = (template: Template) => Object.values(resourcesOf(template, 'AWS::ApiGateway::Stage'))[0]
const formatOf = (template: Template): Readonly<Record<string, string>> =>
  JSON.parse(JSON.parse(JSON.stringify(stageOf(template)?.Properties['AccessLogSetting'])).Format)

const stage = stageOf(api)
const format = formatOf(api)
const runbook = readFileSync(new URL('../../../../../infra/README.md', import.meta.url), 'utf8')

const filters = Object.values(resourcesOf(api, 'AWS::Logs::MetricFilter')).map(({ Properties }) => {
  const { FilterPattern, MetricTransformations } = JSON.parse(JSON.stringify(Properties))
  const [{ MetricName }] = MetricTransformations
  return { metric: String(MetricName), pattern: String(FilterPattern) }
})

/** A line of the log, of a request without a key to nowhere unless said otherwise. */
const line = (fields: Partial<Record<string, string>>) => ({
  ...Object.fromEntries(Object.keys(format).map((name) => [name, '-'])),
  ...fields,
})

/** Reads a filter pattern as CloudWatch Logs does: comparisons of text with `*` at the end, `&&`, `||`, parentheses. */
const matches = (pattern: string, event: Readonly<Record<string, string | undefined>>): boolean => {
  const expression = pattern
    .replace(/^\{(.*)\}$/, '$1')
    .replace(/\$\.(\w+) (!?=) "([^"]*)"/g, (_, field, is, wanted) => {
      const value = String(event[field])
      const equal = wanted.endsWith('*') ? value.startsWith(wanted.slice(0, -1)) : value === wanted
      return String(equal === (is === '='))
    })
  expect(expression, pattern).toMatch(/^(true|false|&&|\|\||[() ])+$/)
  return runInNewContext(expression)
}

/** The metrics that count a line. */
const countedAs = (event: Readonly<Record<string, string | undefined>>): readonly string[] =>
  filters.filter(({ pattern }) => matches(pattern, event)).map(({ metric }) => metric)

describe('the access log', () => {
  it('records the caller, the operation and the outcome of each request', () => {
    expect(format).toMatchObject({
      requestId: '$context.requestId',
      extendedRequestId: '$context.extendedRequestId',
      keyId: '$context.authorizer.keyId',
      plan: '$context.authorizer.plan',
      method: '$context.httpMethod',
      route: '$context.resourcePath',
      status: '$context.status',
      latency: '$context.responseLatency',
      errorCode: '$context.authorizer.errorCode',
      responseType: '$context.error.responseType',
    })
  })

  it('has no key, no hash of a key, and nothing that a caller chooses except a UUID', () => {
    const all = JSON.stringify(format)
    for (const secret of ['apiKey', 'identity', 'path"', 'querystring', 'header', 'error.message', 'principalId']) {
      expect(all).not.toContain(secret)
    }
  })

  it('of an ordinary request is as long as the cost command assumes, with 26 bytes that CloudWatch adds', () => {
    const typical: Readonly<Record<string, string>> = {
      ...{ method: 'POST', route: '/pets/{petId}', status: '200', errorCode: 'none', responseType: '-' },
      ...{ keyId: 'k'.repeat(21), plan: 'enterprise', extendedRequestId: 'e'.repeat(16) },
      ...{ latency: '120', authorizerLatency: '12', integrationLatency: '15' },
    }
    const filled = Object.keys(format).map((name) => [name, typical[name] ?? '0'.repeat(36)])
    const bytes = JSON.stringify(Object.fromEntries(filled)).length + 26
    expect(bytes).toBeGreaterThan(assumed.bytesOfLogLine * 0.9)
    expect(bytes).toBeLessThanOrEqual(assumed.bytesOfLogLine)
  })

  it('has the id of the trace, which a caller may choose, only where there are traces', () => {
    expect(format).not.toHaveProperty('traceId')
    expect(formatOf(synthesize('production', everyOption).api)).toMatchObject({
      ...format,
      traceId: '$context.xrayTraceId',
    })
  })

  it('has its own log group with a retention', () => {
    const groups = resourcesOf(api, 'AWS::Logs::LogGroup')
    const [id] = Object.keys(groups).filter((name) => name.startsWith('ApiAccessLog'))
    expect(groups[String(id)]).toMatchObject({ Properties: { RetentionInDays: 30 } })
    expect(JSON.stringify(stage?.Properties['AccessLogSetting'])).toContain(`{"Ref":"${id}"}`)
  })

  it('can be written: API Gateway has its role, which outlives this environment', () => {
    const [account] = Object.values(resourcesOf(api, 'AWS::ApiGateway::Account'))
    expect(account).toMatchObject({ DeletionPolicy: 'Retain' })
    expect(JSON.stringify(stage?.['DependsOn'])).toContain('Account')
  })
})

describe('the saved queries', () => {
  const queries = Object.values(resourcesOf(api, 'AWS::Logs::QueryDefinition')).map(({ Properties }) => ({
    name: String(Properties['Name']).replace('pet-adoption-production/', ''),
    text: String(Properties['QueryString']),
    groups: JSON.stringify(Properties['LogGroupNames']),
  }))
  const ofAccessLog = queries.filter(({ groups }) => groups.includes('AccessLog'))

  it('are those that the runbook names', () => {
    const names = queries.map(({ name }) => name)
    const called = [...runbook.matchAll(/saved\s+query\s+`([\w-]+)`/gi)].map(([, name]) => name)
    expect(called.filter((name) => !names.includes(String(name)))).toEqual([])
    expect(names.filter((name) => !runbook.includes(`\`${name}\``))).toEqual([])
  })

  it('name fields of the log', () => {
    expect(ofAccessLog).toHaveLength(6)
    for (const { text } of ofAccessLog) {
      const words = text.replaceAll(/"[^"]*"|\/[^/]*\/|\bas \w+|sort \w+/g, '').match(/\b[a-zA-Z]+\b/g) ?? []
      const syntax = ['filter', 'like', 'and', 'or', 'stats', 'count', 'pct', 'by', 'sort', 'desc', 'display']
      for (const word of words.filter((one) => !syntax.includes(one))) expect(Object.keys(format), text).toContain(word)
    }
  })

  it('find one request by the id that no caller can choose', () => {
    expect(ofAccessLog.find(({ name }) => name === 'one-request')?.text).toContain('extendedRequestId = ')
  })

  it('read the logs of all functions for what went wrong', () => {
    const [errors] = queries.filter(({ groups }) => !groups.includes('AccessLog'))
    expect(errors?.name).toBe('function-errors')
    expect(JSON.parse(errors?.groups ?? '')).toHaveLength(functionNames().length)
  })
})

describe('a request is counted', () => {
  it.each([
    [{ status: '200', plan: 'free', errorCode: 'none' }, []],
    [{ status: '401', responseType: 'UNAUTHORIZED' }, []],
    [{ status: '404', plan: 'free', errorCode: 'none' }, []],
    [{ status: '429', plan: 'free', errorCode: 'rate_limit_exceeded' }, []],
    [{ status: '503', responseType: 'AUTHORIZER_FAILURE' }, ['AuthorizerFailures', 'Failed']],
    [{ status: '503', responseType: 'AUTHORIZER_CONFIGURATION_ERROR' }, ['AuthorizerFailures', 'Failed']],
    [{ status: '500', plan: 'free', errorCode: 'none' }, ['Failed']],
    [{ status: '501', plan: 'free', errorCode: 'none' }, []],
    [{ status: '504', plan: 'free', errorCode: 'none', responseType: 'INTEGRATION_TIMEOUT' }, ['Failed']],
  ])('%o as %o', (fields, expected) => {
    expect(countedAs(line(fields)).toSorted()).toEqual(expected)
  })
})
