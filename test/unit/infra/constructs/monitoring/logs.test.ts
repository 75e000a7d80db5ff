import { readFileSync } from 'node:fs'
import { runInNewContext } from 'node:vm'
import { describe, expect, it, vi } from 'vitest'
import { listFunctionNames } from '../../../../../infra/bundling/function-bundle.ts'
import { logFailure } from '../../../../../shared/http/response/log-failure.ts'
import { findProperties, synthesizeTemplates } from '../../../../fixtures/environment/templates.ts'

const { api } = synthesizeTemplates('production')
const guide = readFileSync(new URL('../../../../../infra/RUNBOOK.md', import.meta.url), 'utf8')

const [stage] = findProperties(api, 'AWS::ApiGateway::Stage')
const accessLogFormat: Readonly<Record<string, string>> = JSON.parse(stage.AccessLogSetting.Format)

// No variable shows a key, or free text that a caller chooses.
it('the access log has these variables of API Gateway', () => {
  expect(accessLogFormat).toEqual({
    requestId: '$context.requestId',
    extendedRequestId: '$context.extendedRequestId',
    method: '$context.httpMethod',
    route: '$context.resourcePath',
    status: '$context.status',
    keyId: '$context.authorizer.keyId',
    plan: '$context.authorizer.plan',
    errorCode: '$context.authorizer.errorCode',
    responseType: '$context.error.responseType',
    latency: '$context.responseLatency',
    authorizerLatency: '$context.authorizer.latency',
    integrationLatency: '$context.integrationLatency',
    authorizerRequestId: '$context.authorizer.requestId',
    integrationRequestId: '$context.awsEndpointRequestId',
  })
})

describe('the saved queries', () => {
  const queries = findProperties(api, 'AWS::Logs::QueryDefinition')
  const queryNames = [
    'failures-by-route',
    'function-errors',
    'one-request',
    'requests-by-key',
    'requests-by-status',
    'slowest-routes',
    'who-is-limited',
  ]

  it('the saved queries are in the folder of the environment', () => {
    const names = queries.map(({ Name }) => Name)

    expect(names.toSorted()).toEqual(queryNames.map((name) => `pet-adoption-production/${name}`))
  })

  it('the guide names the saved queries, and no other', () => {
    const namesInGuide = [...guide.matchAll(/saved\s+query\s+`([\w-]+)`/gi)].map(([, name]) => name)

    expect(queryNames).toEqual(expect.arrayContaining(namesInGuide))
    expect(queryNames.filter((name) => !guide.includes(`\`${name}\``))).toEqual([])
  })

  it.each([
    { name: 'failures-by-route', filter: 'filter status like /^5/ and status != "501"' },
    { name: 'who-is-limited', filter: 'filter status = "429"' },
    {
      name: 'function-errors',
      filter: 'filter level in ["WARN", "ERROR", "FATAL"]',
    },
    { name: 'one-request', filter: 'filter extendedRequestId = "..." or requestId = "..."' },
  ])('the saved query $name reads the lines that match "$filter"', ({ name, filter }) => {
    const query = queries.find(({ Name }) => Name === `pet-adoption-production/${name}`)

    expect(query.QueryString.split('\n| ')).toContain(filter)
  })

  it('the saved query function-errors shows members of the log of a failed request', () => {
    const log = vi.spyOn(console, 'error').mockReturnValue(undefined)
    const requestContext = { requestId: 'one id', extendedRequestId: 'another id' }
    logFailure({ operation: 'getPet', requestContext, keyId: 'key_1' }, new Error('An error.'))
    const query = queries.find(({ Name }) => Name === 'pet-adoption-production/function-errors')

    const members = [...query.QueryString.matchAll(/message\.(\w+)/g)].map(([, member]) => member)

    expect(members).toEqual(['operation', 'keyId', 'extendedRequestId'])
    expect(Object.keys(log.mock.lastCall?.[0])).toEqual(expect.arrayContaining(members))
  })

  // Only the query function-errors reads the logs of all functions.
  const accessLogQueries = queries.filter(({ LogGroupNames }) => LogGroupNames.length < listFunctionNames().length)

  it('all saved queries but one read the access log', () => {
    expect(accessLogQueries).toHaveLength(queries.length - 1)
  })

  it.each(accessLogQueries)('the saved query $Name reads only fields of the access log', ({ QueryString }) => {
    const syntax = ['filter', 'like', 'and', 'or', 'stats', 'count', 'pct', 'by', 'sort', 'desc', 'display']

    // Values, regular expressions, and names that the query itself defines are no fields.
    const withoutValues = QueryString.replaceAll(/"[^"]*"|\/[^/]*\/|\bas \w+|sort \w+/g, '')
    const words = withoutValues.match(/\b[a-zA-Z]+\b/g)

    expect([...syntax, ...Object.keys(accessLogFormat)]).toEqual(expect.arrayContaining(words))
  })
})

/**
 * Evaluates a filter pattern of CloudWatch Logs for a line of the access log: comparisons of text with `*` at the end,
 * `&&`, `||` and parentheses. A missing field has the value `-`.
 */
const matchesPattern = (pattern: string, line: Readonly<Record<string, string>>): boolean => {
  const withoutBraces = pattern.replace(/^\{(.*)\}$/, '$1')
  const comparison = /\$\.(?<field>\w+) (?<operator>!?=) "(?<expected>[^"*]*)(?<asterisk>\*?)"/g
  const expression = withoutBraces.replace(comparison, (_text, field, operator, expected, asterisk) => {
    const value = line[field] ?? '-'
    const isEqual = asterisk === '*' ? value.startsWith(expected) : value === expected
    return String(operator === '=' ? isEqual : !isEqual)
  })
  expect(expression).toMatch(/^(true|false|&&|\|\||[() ])+$/)
  return runInNewContext(expression)
}

it.each([
  { line: { status: '200' }, counts: [] },
  { line: { status: '401', responseType: 'ACCESS_DENIED' }, counts: [] },
  { line: { status: '503', responseType: 'AUTHORIZER_FAILURE' }, counts: ['AuthorizerFailures', 'Failed'] },
  { line: { status: '503', responseType: 'AUTHORIZER_CONFIGURATION_ERROR' }, counts: ['AuthorizerFailures', 'Failed'] },
  { line: { status: '503', errorCode: 'service_unavailable' }, counts: ['UncountedRequests'] },
  { line: { status: '503' }, counts: ['Failed'] },
  { line: { status: '500', responseType: 'INTEGRATION_FAILURE' }, counts: ['Failed'] },
  { line: { status: '501' }, counts: [] },
  { line: { status: '504', responseType: 'INTEGRATION_TIMEOUT' }, counts: ['Failed'] },
])('the line $line of the access log is counted by the metrics $counts', ({ line, counts }) => {
  const filters = findProperties(api, 'AWS::Logs::MetricFilter')

  const matchingFilters = filters.filter(({ FilterPattern }) => matchesPattern(FilterPattern, line))

  const metricNames = matchingFilters.map(({ MetricTransformations }) => MetricTransformations[0].MetricName)
  expect(metricNames.toSorted()).toEqual(counts)
})
