import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { everyOption, propertiesOf, resourcesOf, synthesize } from '../../synthesized.ts'

const guide = readFileSync(new URL('../../../../../infra/README.md', import.meta.url), 'utf8')
const [, runbook = ''] = /\n## Runbook\n(.*?)\n## /s.exec(guide) ?? []
/** By their headings, which they begin with. */
const paragraphs = new Map(
  runbook
    .split('\n### ')
    .slice(1)
    .map((text) => [text.split('\n', 1).join(), text]),
)

const templates = { staging: synthesize('staging').api, production: synthesize('production').api }

/** The alarms by the paragraphs of the runbook that they link. */
const alarmsOf = (api: typeof templates.staging, from = 'infra/README.md') =>
  new Map(
    propertiesOf(api, 'AWS::CloudWatch::Alarm').map((alarm) => [
      alarm.AlarmDescription.split(`. Runbook: ${from}#`)[1],
      alarm,
    ]),
  )

const ofRequests = ['authorizer-failures', 'errors-at-low-traffic', 'latency', 'refused', 'server-errors']

it.each([
  ['staging', ofRequests],
  ['production', ['blocked', ...ofRequests].toSorted()],
] as const)(
  'the alarms of %s tell each symptom once for the service, link its paragraph, and notify when they begin and end',
  (environment, expected) => {
    const alarms = alarmsOf(templates[environment])
    expect([...alarms.keys()].toSorted()).toEqual(expected)
    const [topic] = Object.keys(resourcesOf(templates[environment], 'AWS::SNS::Topic'))
    for (const [name, alarm] of alarms) {
      const actions = { AlarmActions: [{ Ref: topic }], OKActions: [{ Ref: topic }] }
      expect(alarm).toMatchObject({ AlarmName: `pet-adoption-${environment}-${name}`, ...actions })
    }
  },
)

describe('the alarms', () => {
  const alarms = alarmsOf(templates.production)

  it.each([
    ['server-errors', 'IF(FILL(failed, errors) >= 5, 100 * FILL(failed, errors) / requests, 0)', 60, 2, 1],
    ['errors-at-low-traffic', 'IF(FILL(failed, errors) >= 3, 100 * FILL(failed, errors) / requests, 0)', 900, 1, 5],
    ['latency', 'IF(requests >= 20, slowest, 0)', 300, 1, 2_000],
  ])('that roll a release back judge from so many requests that they are no accident: %s', (name, ...expected) => {
    const { Metrics, EvaluationPeriods, Threshold } = alarms.get(name)
    const [expression] = Metrics.flatMap(({ Expression }: { Expression?: string }) => Expression ?? [])
    const periods = new Set(JSON.stringify(Metrics).match(/(?<="Period":)\d+/g))
    expect([expression, Number([...periods].join()), EvaluationPeriods, Threshold]).toEqual(expected)
  })

  it('are not silent when the access log stops: what counts failures there falls back on a metric of AWS', () => {
    const counting = [...alarms].filter(([, alarm]) => JSON.stringify(alarm).includes('PetAdoption/'))
    // Each request on which the authorizer fails is a failure, which the other alarms count.
    const others = counting.filter(([name]) => name !== 'authorizer-failures')
    expect(others).toHaveLength(counting.length - 1)
    for (const [name, alarm] of others) {
      expect(JSON.stringify(alarm), name).toMatch(/FILL\(failed, errors\).*"Id":"errors".*"MetricName":"5XXError"/)
    }
  })

  it('are all on the dashboard of production, with the metrics that the runbook looks at, and staging has no dashboard', () => {
    const [dashboard] = propertiesOf(templates.production, 'AWS::CloudWatch::Dashboard')
    const body = JSON.stringify(dashboard.DashboardBody)
    const ids = Object.keys(resourcesOf(templates.production, 'AWS::CloudWatch::Alarm'))
    expect(ids.filter((id) => !body.includes(`"${id}","Arn"`))).toEqual([])
    const metrics = new Set(runbook.match(/(?<=`)\w+(?:Errors|Requests|Executions)(?=`)/g))
    expect(metrics.size).toBe(3)
    for (const metric of metrics) expect(body).toContain(metric)
    templates.staging.resourceCountIs('AWS::CloudWatch::Dashboard', 0)
  })

  it('and what only they need are not there where the operator turns them off', () => {
    const { api } = synthesize('staging', { alarms: false })
    for (const type of ['CloudWatch::Alarm', 'Logs::MetricFilter', 'SNS::Topic']) api.resourceCountIs(`AWS::${type}`, 0)
  })

  it('link the address of the runbook, and tell the address of the mail, where the operator sets them', () => {
    const { api } = synthesize('production', everyOption)
    expect([...alarmsOf(api, everyOption.runbookUrl).keys()]).toEqual([...alarms.keys()])
    api.hasResourceProperties('AWS::SNS::Subscription', { Protocol: 'email', Endpoint: everyOption.alarmEmail })
    synthesize('production', { alarmEmail: 'none' }).api.resourceCountIs('AWS::SNS::Subscription', 0)
  })

  it('have a topic that takes messages of CloudWatch in this account, over TLS only', () => {
    const [policy] = propertiesOf(templates.production, 'AWS::SNS::TopicPolicy')
    expect(policy.PolicyDocument.Statement).toMatchObject([
      { Effect: 'Deny', Condition: { Bool: { 'aws:SecureTransport': 'false' } } },
      {
        Principal: { Service: 'cloudwatch.amazonaws.com' },
        Condition: { StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } } },
        Action: 'sns:Publish',
      },
    ])
  })

  it('have each a paragraph in the runbook, as the tables have, which says what it means, where to look and what to do', () => {
    expect([...paragraphs.keys()].toSorted()).toEqual([...alarms.keys(), 'tables'].toSorted())
    const parts =
      /^[\w-]+\n+- \*\*What it means\*\*: \w.*\n- \*\*Where to look\*\*: .*\w.*\n- \*\*What to do\*\*: .*\w/s
    for (const [subject, text] of paragraphs) expect(text, subject).toMatch(parts)
  })
})
