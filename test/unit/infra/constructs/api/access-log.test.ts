import { readFileSync } from 'node:fs'
import type { Template } from 'aws-cdk-lib/assertions'
import { describe, expect, it } from 'vitest'
import { readContract } from '../../../../../infra/contract/contract.ts'
import { planNames } from '../../../../../shared/api-keys/plans.ts'
import { resourcesOf, synthesize } from '../../synthesized.ts'

const { api } = synthesize('production')

const stageOf = (template: Template) => Object.values(resourcesOf(template, 'AWS::ApiGateway::Stage'))[0]
const formatOf = (template: Template): Readonly<Record<string, string>> =>
  JSON.parse(JSON.parse(JSON.stringify(stageOf(template)?.Properties['AccessLogSetting'])).Format)

const stage = stageOf(api)
const format = formatOf(api)
const runbook = readFileSync(new URL('../../../../../infra/README.md', import.meta.url), 'utf8')

interface Filter {
  readonly metric: string
  readonly namespace: string
  readonly pattern: string
  readonly dimensions: unknown
}

const filters: readonly Filter[] = Object.values(resourcesOf(api, 'AWS::Logs::MetricFilter')).map(({ Properties }) => {
  const { FilterPattern, MetricTransformations } = JSON.parse(JSON.stringify(Properties))
  const [{ MetricName, MetricNamespace, Dimensions }] = MetricTransformations
  return { metric: MetricName, namespace: MetricNamespace, pattern: FilterPattern, dimensions: Dimensions }
})

/** A line of the log, of a request without a key to nowhere unless said otherwise. */
const line = (fields: Partial<Record<string, string>>) => ({
  ...Object.fromEntries(Object.keys(format).map((name) => [name, '-'])),
  ...fields,
})

/** Reads a filter pattern as CloudWatch Logs does: comparisons of text with `*` at the end, `&&`, `||`, parentheses. */
const matches = (pattern: string, event: Readonly<Record<string, string | undefined>>): boolean => {
  let text = pattern.replace(/^\{(.*)\}$/, '$1').replace(/\$\.(\w+) (!?=) "([^"]*)"/g, (_, field, is, wanted) => {
    const value = String(event[field])
    const equal = wanted.endsWith('*') ? value.startsWith(wanted.slice(0, -1)) : value === wanted
    return String(equal === (is === '='))
  })
  for (let before = ''; before !== text; ) {
    before = text
    text = text
      .replace(/\((true|false)\)/, '$1')
      .replace(/(true|false) && (true|false)/, (_, left, right) => String(left === 'true' && right === 'true'))
    if (before === text)
      text = text.replace(/(true|false) \|\| (true|false)/, (_, left, right) =>
        String(left === 'true' || right === 'true'),
      )
  }
  expect(text.trim(), pattern).toMatch(/^(true|false)$/)
  return text.trim() === 'true'
}

/** The metrics that count a line, those by plan left out. */
const countedAs = (event: Readonly<Record<string, string | undefined>>): readonly string[] =>
  filters
    .filter(({ dimensions, namespace }) => dimensions === undefined && !namespace.endsWith('/operations'))
    .filter(({ pattern }) => matches(pattern, event))
    .map(({ metric }) => metric)

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

  it('is searched by the id that no caller can choose, in the queries of the runbook', () => {
    const queries = [...runbook.matchAll(/^ {4}filter .*requestId = .*$/gim)].map(([query]) => query)
    expect(queries).not.toHaveLength(0)
    for (const query of queries) expect(query).toContain('extendedRequestId = ')
  })

  it('has the fields that the queries of the runbook name', () => {
    const [, shown = ''] = /\| display (.*)$/m.exec(runbook) ?? []
    expect(shown).not.toBe('')
    for (const name of shown.split(', ')) expect(Object.keys(format)).toContain(name)
  })

  it('has the id of the trace, which a caller may choose, only where there are traces', () => {
    expect(format).not.toHaveProperty('traceId')
    expect(formatOf(synthesize('production', { tracing: true }).api)).toMatchObject({
      ...format,
      traceId: '$context.xrayTraceId',
    })
  })

  it('has its own log group with a retention', () => {
    const groups = resourcesOf(api, 'AWS::Logs::LogGroup')
    const [id] = Object.keys(groups).filter((name) => name.startsWith('ApiAccessLog'))
    expect(groups[String(id)]).toMatchObject({ DeletionPolicy: 'Retain', Properties: { RetentionInDays: 365 } })
    expect(JSON.stringify(stage?.Properties['AccessLogSetting'])).toContain(`{"Ref":"${id}"}`)
  })

  it('can be written: API Gateway has its role, which outlives this environment', () => {
    const [account] = Object.values(resourcesOf(api, 'AWS::ApiGateway::Account'))
    expect(account).toMatchObject({ DeletionPolicy: 'Retain' })
    expect(JSON.stringify(stage?.['DependsOn'])).toContain('Account')
  })
})

describe('a request is counted', () => {
  it.each([
    [{ status: '200', plan: 'free', errorCode: '' }, ['Ok']],
    [{ status: '201', plan: 'pro', errorCode: '' }, ['Ok']],
    [{ status: '204' }, ['Ok']],
    [{ status: '400', plan: 'pro', errorCode: '' }, ['Rejected']],
    [{ status: '401', responseType: 'UNAUTHORIZED' }, ['Unauthorized']],
    [{ status: '403', responseType: 'WAF_FILTERED' }, ['Rejected']],
    [{ status: '404', plan: 'free', errorCode: '' }, ['Rejected']],
    [{ status: '429', plan: 'free', errorCode: 'rate_limit_exceeded' }, ['Limited']],
    [{ status: '429', plan: 'free', errorCode: '', responseType: 'QUOTA_EXCEEDED' }, ['Limited']],
    [{ status: '429', responseType: 'THROTTLED' }, ['Limited']],
    [{ status: '429', plan: 'free', errorCode: 'api_key_banned' }, ['Banned']],
    [{ status: '503', responseType: 'AUTHORIZER_FAILURE' }, ['AuthorizerFailures', 'Failed']],
    [{ status: '500', plan: 'free', errorCode: '' }, ['Failed']],
    [{ status: '501', plan: 'free', errorCode: '' }, ['Rejected']],
    [{ status: '504', plan: 'free', errorCode: '', responseType: 'INTEGRATION_TIMEOUT' }, ['Failed']],
  ])('%o as %o', (fields, expected) => {
    expect([...countedAs(line(fields))].sort()).toEqual(expected)
  })

  it('with exactly one outcome for every status', () => {
    for (let status = 200; status < 600; status += 1) {
      for (const errorCode of ['-', '', 'rate_limit_exceeded', 'api_key_banned']) {
        const event = line({ status: String(status), plan: 'free', errorCode })
        expect(countedAs(event), JSON.stringify(event)).toHaveLength(1)
      }
    }
  })

  it('by its plan, where the plan is known', () => {
    const byPlan = filters.filter(({ dimensions }) => dimensions !== undefined)
    expect(byPlan.map(({ metric }) => metric).sort()).toEqual(
      ['Ok', 'Limited', 'Banned', 'Unauthorized', 'Rejected', 'Failed', 'Requests'].sort(),
    )
    const countedByPlan = (plan: string) =>
      byPlan.filter(({ pattern }) => matches(pattern, line({ status: '200', plan }))).map(({ metric }) => metric)
    for (const { dimensions } of byPlan) expect(dimensions).toEqual([{ Key: 'Plan', Value: '$.plan' }])
    for (const plan of planNames) expect(countedByPlan(plan).sort()).toEqual(['Ok', 'Requests'])
    expect(countedByPlan('-')).toEqual([])
  })

  it('by its operation', () => {
    const byOperation = filters.filter(({ namespace }) => namespace.endsWith('/operations'))
    for (const { name, method, path } of readContract().operations) {
      const counting = byOperation.filter(({ pattern }) => matches(pattern, line({ method, route: path })))
      expect(counting.map(({ metric }) => metric)).toEqual([name])
    }
  })
})
