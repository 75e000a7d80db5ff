import { readFileSync } from 'node:fs'
import { runInNewContext } from 'node:vm'
import { describe, expect, it, vi } from 'vitest'
import { tableAccess } from '../../../../../infra/constructs/functions/table-access.ts'
import { logFailure } from '../../../../../shared/http/response/log-failure.ts'
import { findProperties, synthesizeTemplates } from '../../../../fixtures/environment/templates.ts'

const { api } = synthesizeTemplates('production')
const runbook = readFileSync(new URL('../../../../../infra/RUNBOOK.md', import.meta.url), 'utf8')

const [stage] = findProperties(api, 'AWS::ApiGateway::Stage')
const accessLogFormat: Readonly<Record<string, string>> = JSON.parse(stage.AccessLogSetting.Format)

it('the access log has no variable that shows a key, an address, or free text that a caller chooses', () => {
  const variables = Object.values(accessLogFormat).join(' ')

  expect(variables).not.toMatch(/identity|header|querystring|apiKey|domainName|context\.path|protocol|usageIdentifier/i)
})

it('the access log names the key of a request by its id, and its plan', () => {
  expect(accessLogFormat).toMatchObject({
    keyId: '$context.authorizer.keyId',
    plan: '$context.authorizer.plan',
  })
})

describe('the saved queries', () => {
  const queries = findProperties(api, 'AWS::Logs::QueryDefinition')
  const queryNames: readonly string[] = queries.map(({ Name }) => Name.replace('pet-adoption-production/', ''))

  it('the runbook names the saved queries, and no other', () => {
    const namesInRunbook = [...runbook.matchAll(/saved\s+query\s+`([\w-]+)`/gi)].map(([, name]) => name)

    expect(queryNames).toEqual(expect.arrayContaining(namesInRunbook))
    expect(queryNames.filter((name) => !runbook.includes(`\`${name}\``))).toEqual([])
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
  const accessLogQueries = queries.filter(({ LogGroupNames }) => LogGroupNames.length < Object.keys(tableAccess).length)

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
 * Whether a line of the access log matches a filter pattern of CloudWatch Logs. The pattern may have comparisons of
 * texts with `*` at their end, `&&`, `||` and parentheses. With `true` or `false` for each comparison it is JavaScript.
 */
const matchesPattern = (pattern: string, line: Readonly<Record<string, string>>): boolean => {
  const withoutBraces = pattern.replace(/^\{(.*)\}$/, '$1')
  const comparison = /\$\.(?<field>\w+) (?<operator>!?=) "(?<expected>[^"*]*)(?<asterisk>\*?)"/g
  const expression = withoutBraces.replace(comparison, (_text, field, operator, expected, asterisk) => {
    const value = line[field] ?? ''
    const isEqual = asterisk === '*' ? value.startsWith(expected) : value === expected
    return String(operator === '=' ? isEqual : !isEqual)
  })
  expect(expression).toMatch(/^(true|false|&&|\|\||[() ])+$/)
  return runInNewContext(expression)
}

/** Writes the line of a response in the access log as API Gateway does: with `-` for a variable without a value. */
const writeLine = ({ status, responseType = '-', errorCode = '-' }: Response): Readonly<Record<string, string>> => {
  const values = new Map([
    ['$context.status', status],
    ['$context.error.responseType', responseType],
    ['$context.authorizer.errorCode', errorCode],
  ])
  const fields = Object.entries(accessLogFormat).map(([field, variable]) => [field, values.get(variable) ?? '-'])
  return Object.fromEntries(fields)
}

interface Response {
  readonly status: string
  /** Type of the gateway response, if API Gateway itself responded. */
  readonly responseType?: string
  /** Code of the error for which the function refused the request, as the authorizer found it. */
  readonly errorCode?: string
}

it.each<{ readonly response: Response; readonly metrics: readonly string[] }>([
  { response: { status: '200' }, metrics: [] },
  { response: { status: '401', responseType: 'ACCESS_DENIED' }, metrics: [] },
  { response: { status: '503', responseType: 'AUTHORIZER_FAILURE' }, metrics: ['AuthorizerFailures', 'Failed'] },
  {
    response: { status: '503', responseType: 'AUTHORIZER_CONFIGURATION_ERROR' },
    metrics: ['AuthorizerFailures', 'Failed'],
  },
  { response: { status: '503', errorCode: 'service_unavailable' }, metrics: ['UncountedRequests'] },
  { response: { status: '503' }, metrics: ['Failed'] },
  { response: { status: '500', responseType: 'INTEGRATION_FAILURE' }, metrics: ['Failed'] },
  { response: { status: '501' }, metrics: [] },
  { response: { status: '504', responseType: 'INTEGRATION_TIMEOUT' }, metrics: ['Failed'] },
])('the response $response is counted by the metrics $metrics', ({ response, metrics }) => {
  const line = writeLine(response)
  const filters = findProperties(api, 'AWS::Logs::MetricFilter')

  const matchingFilters = filters.filter(({ FilterPattern }) => matchesPattern(FilterPattern, line))

  const metricNames = matchingFilters.map(({ MetricTransformations }) => MetricTransformations[0].MetricName)
  expect(metricNames.toSorted()).toEqual(metrics)
})
