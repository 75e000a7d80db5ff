import { describe, expect, it } from 'vitest'
import { options, resourcesOf, synthesize } from '../../synthesized.ts'

const { api, monitoring } = synthesize('production')

const widgets: readonly { readonly title: string; readonly shown: string }[] = (() => {
  const [dashboard] = Object.values(resourcesOf(monitoring, 'AWS::CloudWatch::Dashboard'))
  expect(dashboard?.Properties['DashboardName']).toBe('pet-adoption-production')
  const { 'Fn::Join': joined } = JSON.parse(JSON.stringify(dashboard?.Properties['DashboardBody']))
  const body = joined[1].map((part: unknown) => (typeof part === 'string' ? part : 'reference')).join('')
  return JSON.parse(body).widgets.map(({ properties }: { properties: { title: string } }) => ({
    title: properties.title,
    shown: JSON.stringify(properties),
  }))
})()

const [functions, tables] = ['FunctionName=pet-adoption-production-api', 'TableName=pet-adoption-production-data']

describe('the dashboard', () => {
  it.each<[string, readonly string[]]>([
    ['Requests', ['Count']],
    ['Errors', ['4XXError', '5XXError']],
    ['Latency of the API, ms', ['p50', 'p90', 'p99']],
    ['Requests by route and status', ['by method, route, status']],
    ['Failures by route', ['by method, route, status, responseType']],
    ['Requests by key', ['by keyId, plan, status']],
    ['Refused for a limit', ['by keyId, plan, errorCode']],
    ['99th percentile of the runs of each function, ms', ['Duration', 'p99', functions]],
    ['Errors of functions; of the authorizer, also invalid keys', ['Errors', functions]],
    ['Throttled runs of functions', ['Throttles', 'ConcurrentExecutions', functions]],
    ['Throttled requests to tables', ['TableName,Operation', 'ThrottledRequests', tables]],
    ['Errors of DynamoDB', ['SystemErrors', tables]],
    ['99th percentile of requests to tables, ms', ['SuccessfulRequestLatency', tables]],
    ['Units of tables: read, and written (right)', ['ConsumedReadCapacityUnits', 'ConsumedWriteCapacityUnits', tables]],
    ['Runs of functions', ['Invocations', 'GB-seconds', functions]],
    ['Bytes of logs', ['IncomingBytes']],
  ])('shows %s', (title, shown) => {
    const found = widgets.find((widget) => widget.title === title)
    for (const text of shown) expect(found?.shown).toContain(text)
  })

  it('has no metric of its own, which would have a price', () => {
    for (const { shown } of widgets) expect(shown).not.toContain('PetAdoption/')
  })

  it('refers to no function, which could not be removed then', () => {
    const exports = Object.keys(api.toJSON()['Outputs']).filter((name) => name.startsWith('Exports'))
    expect(exports.toSorted()).toEqual([
      expect.stringMatching(/^ExportsOutputRefAlarmsTopic/),
      expect.stringMatching(/^ExportsOutputRefApiAccessLogRequests/),
      expect.stringMatching(/^ExportsOutputRefApiRestApi/),
    ])
  })

  it('is not there in staging, where nobody pays for it unless asked', () => {
    synthesize('staging').monitoring.resourceCountIs('AWS::CloudWatch::Dashboard', 0)
    synthesize('staging', options.staging).monitoring.resourceCountIs('AWS::CloudWatch::Dashboard', 1)
  })
})
