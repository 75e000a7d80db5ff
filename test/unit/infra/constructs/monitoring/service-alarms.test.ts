import { readFileSync } from 'node:fs'
import { runInNewContext } from 'node:vm'
import type { Template } from 'aws-cdk-lib/assertions'
import { expect, it } from 'vitest'
import type { EnvironmentConfig } from '../../../../../infra/environments.ts'
import {
  everyOption,
  findProperties,
  findResources,
  synthesizeTemplates,
} from '../../../../fixtures/environment/templates.ts'

const runbook = readFileSync(new URL('../../../../../infra/RUNBOOK.md', import.meta.url), 'utf8')

const production = synthesizeTemplates('production').api

type AlarmProperties = ReturnType<typeof findProperties>[number]

/** Finds the alarms of an environment by the headings of the runbook's sections that their descriptions link. */
const findAlarms = (api: Template, runbookUrl = 'infra/RUNBOOK.md'): ReadonlyMap<string, AlarmProperties> => {
  const alarms = new Map<string, AlarmProperties>()
  for (const properties of findProperties(api, 'AWS::CloudWatch::Alarm')) {
    const [, heading] = properties.AlarmDescription.split(`. Runbook: ${runbookUrl}#`)
    alarms.set(String(heading), properties)
  }
  return alarms
}

/** Calculates the minutes whose metrics decide about an alarm. All metrics of the alarm must have one period. */
const calculateMinutes = (alarm: AlarmProperties): number => {
  const periods = new Set(JSON.stringify(alarm).match(/(?<="Period":)\d+/g))
  expect(periods.size).toBe(1)
  const [periodSeconds] = periods
  return (Number(periodSeconds) * alarm.EvaluationPeriods) / 60
}

it('each alarm evaluates as many minutes as this table says', () => {
  const minutes: Record<string, number> = {}
  for (const [name, alarm] of findAlarms(production)) minutes[name] = calculateMinutes(alarm)

  expect(minutes).toEqual({
    'access-log': 30,
    'authorizer-failures': 1,
    'errors-at-low-traffic': 15,
    'gateway-keys': 60,
    latency: 5,
    refused: 5,
    'server-errors': 5,
    'throttled-keys': 5,
  })
})

// The lines of the access log can be a minute late. So the alarm must not depend on the latest one.
it('the alarm server-errors needs its symptom in two of five minutes', () => {
  expect(findAlarms(production).get('server-errors')).toMatchObject({ EvaluationPeriods: 5, DatapointsToAlarm: 2 })
})

it('only the alarm gateway-keys notifies if its metric has no value', () => {
  const alarms = [...findAlarms(production)].filter(([, alarm]) => alarm.TreatMissingData !== 'notBreaching')

  expect(alarms).toMatchObject([['gateway-keys', { InsufficientDataActions: [{ Ref: expect.any(String) }] }]])
})

it.each([...findAlarms(production)])(
  'the alarm %s notifies its topic when it begins and when it ends',
  (name, alarm) => {
    const [topic] = Object.keys(findResources(production, 'AWS::SNS::Topic'))

    expect(alarm).toMatchObject({
      AlarmName: `pet-adoption-production-${name}`,
      ComparisonOperator: 'GreaterThanOrEqualToThreshold',
      AlarmActions: [{ Ref: topic }],
      OKActions: [{ Ref: topic }],
    })
  },
)

interface Metric {
  readonly MetricName: string
  readonly Namespace: string
  readonly Dimensions?: readonly { readonly Name: string; readonly Value: unknown }[]
}

/** Describes a metric in one line. A value that CloudFormation fills in is shown as `...`. */
const describeMetric = ({ MetricName, Namespace, Dimensions = [] }: Metric): string => {
  const dimensions = Dimensions.map(({ Name, Value }) => `${Name}=${typeof Value === 'string' ? Value : '...'}`)
  return [Namespace, MetricName, ...dimensions].join(' ')
}

it('the alarms read only metrics of the API, of its access log and of the function gateway-keys', () => {
  const metrics = [...findAlarms(production).values()].flatMap((alarm): readonly Metric[] => {
    const queries: readonly AlarmProperties[] = alarm.Metrics ?? [{ MetricStat: { Metric: alarm } }]
    return queries.flatMap(({ MetricStat }) => MetricStat?.Metric ?? [])
  })

  const api = 'ApiName=pet-adoption-production-api Stage=v1'
  expect([...new Set(metrics.map(describeMetric))].toSorted()).toEqual([
    `AWS/ApiGateway 4XXError ${api}`,
    `AWS/ApiGateway Count ${api}`,
    `AWS/ApiGateway Latency ${api}`,
    'AWS/Lambda Errors FunctionName=... Resource=...',
    'AWS/Logs IncomingLogEvents LogGroupName=...',
    'PetAdoption/pet-adoption-production-api AuthorizerFailures',
    'PetAdoption/pet-adoption-production-api Failed',
    'PetAdoption/pet-adoption-production-api UncountedRequests',
  ])
})

// logs.test.ts shows which lines of the access log each of these metrics counts.

/** Metrics of one period with a thousand requests and no fault, by name and statistic. */
const quietMetrics = {
  'Count SampleCount': 1_000,
  'Latency SampleCount': 1_000,
  'Latency p95': 100,
  'Failed Sum': 0,
  '4XXError Sum': 0,
  'AuthorizerFailures Sum': 0,
  'UncountedRequests Sum': 0,
  'IncomingLogEvents Sum': 1_000,
  'Errors Sum': 0,
}

type Metrics = Readonly<Record<keyof typeof quietMetrics, number | undefined>>

/** The function of CloudWatch's metric math that the alarms use. With it their expressions are JavaScript too. */
const metricMath = 'const IF = (condition, value, otherwise) => condition ? value : otherwise'

/**
 * Evaluates an alarm as CloudWatch does: compares its expression, or its only metric, with its threshold.
 *
 * Unlike CloudWatch, this function knows one period only, and no metric that comes late. A metric without a value
 * counts as 0 beside another metric, as in CloudWatch ("Using math expressions with CloudWatch metrics"). Compared with
 * a number it has no result in CloudWatch, and here the comparison is false: neither raises an alarm.
 */
const isRaised = (alarm: AlarmProperties, metrics: Metrics): boolean => {
  const valuesByName = new Map<string, number | undefined>(Object.entries(metrics))
  const { Metrics: queries, MetricName, Statistic, Threshold } = alarm
  if (queries === undefined) return Number(valuesByName.get(`${MetricName} ${Statistic}`)) >= Threshold

  const variables: Record<string, number> = {}
  // An alarm whose queries calculate nothing compares its first metric.
  let expression: string = queries[0].Id
  for (const { Id, Expression, MetricStat } of queries) {
    if (MetricStat === undefined) expression = Expression
    else variables[Id] = valuesByName.get(`${MetricStat.Metric.MetricName} ${MetricStat.Stat}`) ?? 0
  }
  return runInNewContext(`${metricMath}; ${expression} >= ${Threshold}`, variables)
}

const findRaisedAlarms = (change: Partial<Metrics>): readonly string[] => {
  const raisedAlarms = [...findAlarms(production)].filter(([, alarm]) =>
    isRaised(alarm, { ...quietMetrics, ...change }),
  )
  return raisedAlarms.map(([name]) => name).toSorted()
}

it.each<{ readonly alarm: string; readonly raisedBy: Partial<Metrics>; readonly notRaisedBy: Partial<Metrics> }>([
  {
    alarm: 'server-errors',
    // One in a hundred of the thousand requests.
    raisedBy: { 'Failed Sum': 10 },
    notRaisedBy: { 'Failed Sum': 9 },
  },
  {
    alarm: 'errors-at-low-traffic',
    // At least three failed requests, and fewer than the five that server-errors needs.
    raisedBy: { 'Count SampleCount': 10, 'Failed Sum': 3 },
    notRaisedBy: { 'Count SampleCount': 10, 'Failed Sum': 2 },
  },
  {
    alarm: 'latency',
    raisedBy: { 'Latency p95': 2_000, 'Latency SampleCount': 20 },
    notRaisedBy: { 'Latency p95': 1_999 },
  },
  {
    alarm: 'authorizer-failures',
    raisedBy: { 'AuthorizerFailures Sum': 3 },
    notRaisedBy: { 'AuthorizerFailures Sum': 2 },
  },
  {
    alarm: 'throttled-keys',
    raisedBy: { 'UncountedRequests Sum': 10 },
    notRaisedBy: { 'UncountedRequests Sum': 9 },
  },
  {
    alarm: 'refused',
    // A number of refusals, whatever the number of requests.
    raisedBy: { '4XXError Sum': 1_000 },
    notRaisedBy: { '4XXError Sum': 999 },
  },
  {
    alarm: 'access-log',
    // A log that has stopped, from which the metrics of failed requests come too.
    raisedBy: { 'IncomingLogEvents Sum': undefined, 'Failed Sum': undefined, 'AuthorizerFailures Sum': undefined },
    // A line for more than half of the thousand requests.
    notRaisedBy: { 'IncomingLogEvents Sum': 501 },
  },
  {
    alarm: 'gateway-keys',
    raisedBy: { 'Errors Sum': 3 },
    notRaisedBy: { 'Errors Sum': 2 },
  },
])('the alarm $alarm alone is raised by $raisedBy, and none by $notRaisedBy', ({ alarm, raisedBy, notRaisedBy }) => {
  expect(findRaisedAlarms(raisedBy)).toEqual([alarm])
  expect(findRaisedAlarms(notRaisedBy)).toEqual([])
})

it('five failed requests of ten raise both alarms of failed requests', () => {
  const raised = findRaisedAlarms({ 'Count SampleCount': 10, 'Failed Sum': 5 })

  expect(raised).toEqual(['errors-at-low-traffic', 'server-errors'])
})

it('a 95th percentile of fewer than 20 requests raises no alarm', () => {
  expect(findRaisedAlarms({ 'Latency p95': 2_000, 'Latency SampleCount': 19 })).toEqual([])
})

it('an API without requests raises no alarm', () => {
  // `Errors` is the metric of gateway-keys, which runs without requests.
  const names = Object.keys(quietMetrics).filter((name) => name !== 'Errors Sum')

  expect(findRaisedAlarms(Object.fromEntries(names.map((name) => [name, undefined])))).toEqual([])
})

it('the alarms link the runbookUrl of the settings', () => {
  const { api } = synthesizeTemplates('production', everyOption)

  const names = [...findAlarms(api, everyOption.runbookUrl).keys()]

  expect(names.toSorted()).toEqual([...findAlarms(production).keys()].toSorted())
})

it('the alarms send mail to the alarmEmail of the settings', () => {
  const { api } = synthesizeTemplates('production', everyOption)

  api.hasResourceProperties('AWS::SNS::Subscription', { Protocol: 'email', Endpoint: 'ops@example.org' })
})

it.each<Partial<EnvironmentConfig>>([{}, { alarmEmail: 'none' }])(
  'the alarms send mail to nobody with the settings %o',
  (change) => {
    const { api } = synthesizeTemplates('production', change)

    api.resourceCountIs('AWS::SNS::Subscription', 0)
  },
)

// findings.test.ts shows that the topic accepts messages over TLS only.
it('the topic of the alarms accepts messages only from CloudWatch in this account', () => {
  const [policy] = findProperties(production, 'AWS::SNS::TopicPolicy')

  expect(policy.PolicyDocument.Statement).toMatchObject([
    { Effect: 'Deny' },
    {
      Principal: { Service: 'cloudwatch.amazonaws.com' },
      Action: 'sns:Publish',
      Condition: { StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } } },
    },
  ])
})

it('the runbook has a section for each alarm', () => {
  const headings = [...runbook.matchAll(/^## (.*)$/gm)].map(([, heading]) => heading)

  expect(headings).toEqual(expect.arrayContaining([...findAlarms(production).keys()]))
})

it('the dashboard has every alarm', () => {
  const [dashboard] = findProperties(production, 'AWS::CloudWatch::Dashboard')
  const dashboardBody = JSON.stringify(dashboard.DashboardBody)
  const alarmIds = Object.keys(findResources(production, 'AWS::CloudWatch::Alarm'))

  expect(alarmIds.filter((id) => !dashboardBody.includes(`"${id}","Arn"`))).toEqual([])
})
