import { describe, expect, it } from 'vitest'
import { readContract } from '../../../../../infra/contract/contract.ts'
import { environmentNames } from '../../../../../infra/environments.ts'
import { planNames } from '../../../../../shared/api-keys/plans.ts'
import { resourcesOf, synthesize } from '../../synthesized.ts'

interface Widget {
  readonly title: string
  /** Metrics, their dimensions, expressions and labels, as JSON. */
  readonly shown: string
}

const widgetsOf = (environment: (typeof environmentNames)[number]): readonly Widget[] => {
  const { monitoring } = synthesize(environment)
  const [dashboard] = Object.values(resourcesOf(monitoring, 'AWS::CloudWatch::Dashboard'))
  expect(dashboard?.Properties['DashboardName']).toBe(`pet-adoption-${environment}`)
  const { 'Fn::Join': joined } = JSON.parse(JSON.stringify(dashboard?.Properties['DashboardBody']))
  const body = joined[1].map((part: unknown) => (typeof part === 'string' ? part : 'reference')).join('')
  return JSON.parse(body).widgets.map(({ properties }: { properties: { title: string } }) => ({
    title: properties.title,
    shown: JSON.stringify(properties),
  }))
}

describe.each(environmentNames)('the dashboard of %s', (environment) => {
  const widgets = widgetsOf(environment)

  it.each<[string, readonly string[]]>([
    ['Requests by operation', readContract().operations.map(({ name }) => name)],
    ['Requests by plan', planNames],
    ['Requests by outcome', ['Ok', 'Limited', 'Banned', 'Unauthorized', 'Rejected', 'Failed']],
    ['Failures', ['Failed', 'AuthorizerFailures']],
    ['Latency of the API, ms', ['p50', 'p90', 'p99']],
    ['99th percentile of the runs of each function, ms', ['Duration', 'p99', `pet-adoption-${environment}-api`]],
    ['Requests over a limit, by plan', planNames],
    ['Requests with a banned key, by plan', planNames],
    ['Requests without a valid key', ['Unauthorized']],
    ['Read units of tables', ['pets', 'api-keys', 'idempotency']],
    ['Write units of tables', ['pets', 'api-keys', 'idempotency']],
    ['Throttled requests to tables', ['pets', 'api-keys', 'idempotency']],
    ['Requests that API Gateway charges', ['Count']],
    ['Runs of functions', ['Invocations', 'GB-seconds']],
    ['Bytes of logs', ['IncomingBytes']],
  ])('shows %s', (title, shown) => {
    const found = widgets.find((widget) => widget.title === title)
    for (const text of shown) expect(found?.shown).toContain(text)
  })

  it('refers to no function, which could not be removed then', () => {
    const { api } = synthesize(environment)
    const exports = Object.keys(api.toJSON()['Outputs']).filter((name) => name.startsWith('Exports'))
    expect(exports.sort()).toEqual([
      expect.stringMatching(/^ExportsOutputRefAlarmsTopic/),
      expect.stringMatching(/^ExportsOutputRefApiRestApi/),
    ])
  })
})
