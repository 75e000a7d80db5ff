import { readFileSync } from 'node:fs'
import { runInNewContext } from 'node:vm'
import type { Template } from 'aws-cdk-lib/assertions'
import { expect, it } from 'vitest'
import { everyOption, findProperties, findResources, synthesizeTemplates } from '../../../../fixtures/templates.ts'

const guide = readFileSync(new URL('../../../../../infra/README.md', import.meta.url), 'utf8')
const [, runbook = ''] = /\n## Runbook\n(.*?)\n## /s.exec(guide) ?? []

const templates = { staging: synthesizeTemplates('staging').api, production: synthesizeTemplates('production').api }

/** By the paragraphs of the runbook that they link. */
const alarmsOf = (api: Template, from = 'infra/README.md') =>
  findProperties(api, 'AWS::CloudWatch::Alarm').map(
    (alarm) => [String(alarm.AlarmDescription.split(`. Runbook: ${from}#`)[1]), alarm] as const,
  )

const alarms = alarmsOf(templates.production)
const names = alarms.map(([name]) => name)

/** Over how many minutes each alarm looks. */
const minutes = { 'authorizer-failures': 1, 'errors-at-low-traffic': 15, latency: 5, refused: 5, 'server-errors': 2 }

it.each([
  ['staging', minutes],
  ['production', { ...minutes, blocked: 5 }],
] as const)(
  'the alarms of %s tell each symptom once, link its paragraph, and notify when they begin and end',
  (environment, expected) => {
    const [topic] = Object.keys(findResources(templates[environment], 'AWS::SNS::Topic'))
    const found = alarmsOf(templates[environment]).map(([name, alarm]) => {
      expect(alarm).toMatchObject({
        ...{ AlarmName: `pet-adoption-${environment}-${name}`, ComparisonOperator: 'GreaterThanOrEqualToThreshold' },
        ...{ AlarmActions: [{ Ref: topic }], OKActions: [{ Ref: topic }] },
      })
      const periods = new Set(JSON.stringify(alarm).match(/(?<="Period":)\d+/g))
      return [name, (Number([...periods].join()) * alarm.EvaluationPeriods) / 60]
    })
    expect(Object.fromEntries(found)).toEqual(expected)
  },
)

/** What CloudWatch counts in one period of a thousand requests at which nothing is wrong. */
const quiet = {
  ...{ 'Count SampleCount': 1_000, 'Latency SampleCount': 1_000, 'Latency p95': 100, 'Failed Sum': 0 },
  ...{ '5XXError Sum': 0, '4XXError Sum': 0, 'AuthorizerFailures Sum': 0, 'BlockedRequests Sum': 0 },
}

/** An expression of CloudWatch is one of JavaScript too, with these functions. */
const functions = 'const IF = (is, one, other) => is ? one : other; const FILL = (value, other) => value ?? other;'

it.each<[string, Partial<Record<keyof typeof quiet, number | undefined>>, string[]]>([
  ['nothing is wrong', {}, []],
  ['one request in a hundred fails', { 'Failed Sum': 10 }, ['server-errors']],
  ['fewer fail', { 'Failed Sum': 9 }, []],
  ['5 of 10 fail', { 'Count SampleCount': 10, 'Failed Sum': 5 }, ['errors-at-low-traffic', 'server-errors']],
  ['3 of 10 fail', { 'Count SampleCount': 10, 'Failed Sum': 3 }, ['errors-at-low-traffic']],
  ['2 of 10 fail', { 'Count SampleCount': 10, 'Failed Sum': 2 }, []],
  ['the access log has stopped', { 'Failed Sum': undefined, '5XXError Sum': 10 }, ['server-errors']],
  ['reserved operations respond 501', { '5XXError Sum': 900 }, []],
  ['the slowest take 2 s', { 'Latency p95': 2_000 }, ['latency']],
  ['the slowest of 19 take 2 s', { 'Latency p95': 2_000, 'Latency SampleCount': 19 }, []],
  ['the authorizer fails thrice', { 'AuthorizerFailures Sum': 3 }, ['authorizer-failures']],
  ['a thousand are refused', { '4XXError Sum': 1_000 }, ['refused']],
  ['an address is blocked', { 'BlockedRequests Sum': 1 }, ['blocked']],
])('where %s, the right alarms begin', (_what, change, expected) => {
  const seen = new Map<string, unknown>(Object.entries({ ...quiet, ...change }))
  const isOver = ({ Metrics, MetricName, Statistic, Threshold }: (typeof alarms)[number][1]): boolean => {
    const values: Record<string, unknown> = {}
    let value = ''
    const own = { Id: 'own', MetricStat: { Metric: { MetricName }, Stat: Statistic } }
    for (const { Id, Expression, MetricStat } of Metrics ?? [own]) {
      if (MetricStat !== undefined) values[Id] = seen.get(`${MetricStat.Metric.MetricName} ${MetricStat.Stat}`)
      value = Expression ?? (value || Id)
    }
    return runInNewContext(`${functions} ${value} >= ${Threshold}`, values)
  }
  const begun = alarms.filter(([, alarm]) => isOver(alarm)).map(([name]) => name)
  expect(begun.toSorted()).toEqual(expected)
})

it('the dashboard of production has all alarms and the metrics that the runbook looks at, and staging has none', () => {
  const [dashboard] = findProperties(templates.production, 'AWS::CloudWatch::Dashboard')
  const body = JSON.stringify(dashboard.DashboardBody)
  const ids = Object.keys(findResources(templates.production, 'AWS::CloudWatch::Alarm'))
  expect(ids.filter((id) => !body.includes(`"${id}","Arn"`))).toEqual([])
  const metrics = new Set(runbook.match(/(?<=`)\w+(?:Errors|Requests|Executions)(?=`)/g))
  expect(metrics.size).toBe(3)
  for (const metric of metrics) expect(body).toContain(metric)
  templates.staging.resourceCountIs('AWS::CloudWatch::Dashboard', 0)
})

it('the alarms link the address of the runbook, and tell the address of the mail, where the operator sets them', () => {
  const { api } = synthesizeTemplates('production', everyOption)
  expect(alarmsOf(api, everyOption.runbookUrl).map(([name]) => name)).toEqual(names)
  api.hasResourceProperties('AWS::SNS::Subscription', { Protocol: 'email', Endpoint: everyOption.alarmEmail })
})

// That it takes them over TLS only, the rules of AWS say: findings.test.ts.
it('their topic takes messages of CloudWatch in this account', () => {
  const [policy] = findProperties(templates.production, 'AWS::SNS::TopicPolicy')
  const Condition = { StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } } }
  const cloudWatch = { Principal: { Service: 'cloudwatch.amazonaws.com' }, Action: 'sns:Publish', Condition }
  expect(policy.PolicyDocument.Statement).toMatchObject([{ Effect: 'Deny' }, cloudWatch])
})

it('each alarm has a paragraph in the runbook, as the tables have: what it means, where to look and what to do', () => {
  const paragraphs = runbook.split('\n### ').slice(1)
  expect(paragraphs.map((text) => text.split('\n', 1).join()).toSorted()).toEqual([...names, 'tables'].toSorted())
  const parts = /^[\w-]+\n+- \*\*What it means\*\*: \w.*\n- \*\*Where to look\*\*: .*\w.*\n- \*\*What to do\*\*: .*\w/s
  expect(paragraphs.filter((text) => !parts.test(text))).toEqual([])
})
