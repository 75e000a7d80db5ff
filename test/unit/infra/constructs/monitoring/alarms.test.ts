import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { everyOption, type Resource, resourcesOf, synthesize } from '../../synthesized.ts'

const guide = readFileSync(new URL('../../../../../infra/README.md', import.meta.url), 'utf8')
const paragraphs = new Map(
  (guide.split('\n## Runbook\n')[1]?.split('\n## ')[0] ?? '').split('\n### ').flatMap((section, index) => {
    const [heading = '', ...text] = section.split('\n')
    return index === 0 ? [] : [[heading, text.join(' ').trim()] as const]
  }),
)

const templates = { staging: synthesize('staging').api, production: synthesize('production').api }
const alarmsOf = (api: typeof templates.staging) => Object.values(resourcesOf(api, 'AWS::CloudWatch::Alarm'))
const paragraphOf = ({ Properties }: Resource, from = 'infra/README.md'): string =>
  String(Properties.AlarmDescription).split(`. Runbook: ${from}#`)[1] ?? ''

const ofRequests = ['authorizer-failures', 'errors-at-low-traffic', 'latency', 'refused', 'server-errors']

describe.each([
  ['staging', ofRequests],
  ['production', ['blocked', ...ofRequests].toSorted()],
] as const)('the alarms of %s', (environment, expected) => {
  const alarms = alarmsOf(templates[environment])

  it('tell each symptom once for the service, and link its paragraph of the runbook', () => {
    expect(alarms.map((alarm) => paragraphOf(alarm)).toSorted()).toEqual(expected)
    for (const alarm of alarms) {
      expect(alarm.Properties.AlarmName).toBe(`pet-adoption-${environment}-${paragraphOf(alarm)}`)
      expect([...paragraphs.keys()]).toContain(paragraphOf(alarm))
    }
  })

  it('notify the topic when they begin and when they end', () => {
    const [topic] = Object.keys(resourcesOf(templates[environment], 'AWS::SNS::Topic'))
    for (const { Properties } of alarms) {
      expect(Properties).toMatchObject({ AlarmActions: [{ Ref: topic }], OKActions: [{ Ref: topic }] })
    }
  })

  it('are not silent when the access log stops: what counts failures there falls back on a metric of AWS', () => {
    for (const alarm of alarms) {
      const metrics = JSON.stringify(alarm.Properties)
      // Each request on which the authorizer fails is a failure, which the other alarms count.
      if (!metrics.includes('PetAdoption/') || paragraphOf(alarm) === 'authorizer-failures') continue
      expect(metrics, paragraphOf(alarm)).toMatch(/FILL\(failed, errors\).*"Id":"errors".*"MetricName":"5XXError"/)
      const [, expression = ''] = /"Expression":"([^"]+)"/.exec(metrics) ?? []
      expect(expression.replaceAll('FILL(failed, errors)', ''), paragraphOf(alarm)).not.toContain('failed')
    }
  })
})

describe('the alarms', () => {
  it('are all on the dashboard of production, with the metrics that the runbook looks at, and staging has no dashboard', () => {
    const [dashboard] = Object.values(resourcesOf(templates.production, 'AWS::CloudWatch::Dashboard'))
    const body = JSON.stringify(dashboard?.Properties.DashboardBody)
    for (const id of Object.keys(resourcesOf(templates.production, 'AWS::CloudWatch::Alarm'))) {
      expect(body).toContain(`"${id}","Arn"`)
    }
    const metrics = [...paragraphs.values()].join(' ').match(/`(?:\w+(?:Errors|Requests|Executions))`/g) ?? []
    expect(new Set(metrics).size).toBe(3)
    for (const metric of metrics) expect(body).toContain(metric.replaceAll('`', ''))
    templates.staging.resourceCountIs('AWS::CloudWatch::Dashboard', 0)
  })

  it('and what only they need are not there where the operator turns them off', () => {
    const { api } = synthesize('staging', { alarms: false })
    for (const type of ['CloudWatch::Alarm', 'Logs::MetricFilter', 'SNS::Topic']) api.resourceCountIs(`AWS::${type}`, 0)
  })

  it.each([
    ['server-errors', 'IF(FILL(failed, errors) >= 5, 100 * FILL(failed, errors) / requests, 0)', 60, 2, 1],
    ['errors-at-low-traffic', 'IF(FILL(failed, errors) >= 3, 100 * FILL(failed, errors) / requests, 0)', 900, 1, 5],
    ['latency', 'IF(requests >= 20, slowest, 0)', 300, 1, 2_000],
  ])('that roll a release back judge from so many requests that they are no accident: %s', (name, ...expected) => {
    const alarm = alarmsOf(templates.production).find((one) => paragraphOf(one) === name)
    const { Metrics, EvaluationPeriods, Threshold } = alarm?.Properties ?? {}
    const [expression] = Metrics.flatMap(({ Expression }: { Expression?: string }) => Expression ?? [])
    const periods = new Set(JSON.stringify(Metrics).match(/(?<="Period":)\d+/g))
    expect([expression, Number([...periods].join()), EvaluationPeriods, Threshold]).toEqual(expected)
  })

  it('link the address of the runbook where the operator sets it', () => {
    const { runbookUrl } = everyOption
    const linked = alarmsOf(synthesize('production', everyOption).api).map((alarm) => paragraphOf(alarm, runbookUrl))
    expect(linked.filter((name) => !paragraphs.has(name))).toEqual([])
  })
})

it('the runbook has a paragraph for each alarm and the tables, which says what it means, where to look and what to do', () => {
  const subjects = [...alarmsOf(templates.production).map((alarm) => paragraphOf(alarm)), 'tables']
  expect([...paragraphs.keys()].toSorted()).toEqual(subjects.toSorted())
  const parts = /^- \*\*What it means\*\*: \w.* - \*\*Where to look\*\*: .*\w.* - \*\*What to do\*\*: .*\w/
  for (const [subject, text] of paragraphs) expect(text, subject).toMatch(parts)
})

it('the topic of alarms takes messages of CloudWatch in this account, over TLS only, for the address that is set', () => {
  const { api } = synthesize('production', everyOption)
  const [policy] = Object.values(resourcesOf(api, 'AWS::SNS::TopicPolicy'))
  expect(policy?.Properties.PolicyDocument.Statement).toMatchObject([
    { Effect: 'Deny', Condition: { Bool: { 'aws:SecureTransport': 'false' } } },
    {
      Principal: { Service: 'cloudwatch.amazonaws.com' },
      Condition: { StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } } },
      Action: 'sns:Publish',
    },
  ])
  api.hasResourceProperties('AWS::SNS::Subscription', { Protocol: 'email', Endpoint: everyOption.alarmEmail })
  synthesize('production', { alarmEmail: 'none' }).api.resourceCountIs('AWS::SNS::Subscription', 0)
})
