/**
 * The definitions of the alarms, written out. The situations in which alarms begin are those of
 * alarms.test.ts.
 */
import { describe, expect, it } from 'vitest'
import { findProperties, synthesizeTemplates } from '../../../../fixtures/templates.ts'

const { api } = synthesizeTemplates('production')
const alarms = findProperties(api, 'AWS::CloudWatch::Alarm')
type AlarmProperties = (typeof alarms)[number]

interface Metric {
  readonly MetricName: string
  readonly Namespace: string
  readonly Dimensions?: readonly { readonly Name: string; readonly Value: unknown }[]
}

/** Describes a metric in one line. A value that CloudFormation fills in is shown as `...`. */
const describeMetric = ({ MetricName, Namespace, Dimensions = [] }: Metric, statistic: string, seconds: number) => {
  const dimensions = Dimensions.map(({ Name, Value }) => `${Name}=${typeof Value === 'string' ? Value : '...'}`)
  return `${statistic} of ${Namespace} ${MetricName} {${dimensions.join(', ')}} in ${seconds} s`
}

const listMetrics = (alarm: AlarmProperties): readonly string[] => {
  if (alarm.Metrics === undefined) return [describeMetric(alarm, alarm.Statistic, alarm.Period)]
  const queries: readonly AlarmProperties[] = alarm.Metrics
  return queries
    .filter(({ MetricStat }) => MetricStat !== undefined)
    .map(({ MetricStat }) => describeMetric(MetricStat.Metric, MetricStat.Stat, MetricStat.Period))
}

const describeAlarm = (name: string) => {
  const alarm = alarms.find(({ AlarmName }) => AlarmName === `pet-adoption-production-${name}`)
  const { DatapointsToAlarm = alarm.EvaluationPeriods, EvaluationPeriods, Metrics = [] } = alarm
  const { Expression } = Metrics.find((query: AlarmProperties) => query.Expression !== undefined) ?? {}
  return {
    ...(Expression !== undefined && { expression: Expression }),
    metrics: listMetrics(alarm),
    threshold: alarm.Threshold,
    periods: `${DatapointsToAlarm} of ${EvaluationPeriods}`,
    missingData: alarm.TreatMissingData,
  }
}

const failedInAMinute = 'Sum of PetAdoption/pet-adoption-production-api Failed {} in 60 s'
const failedIn15Minutes = 'Sum of PetAdoption/pet-adoption-production-api Failed {} in 900 s'
const apiDimensions = '{ApiName=pet-adoption-production-api, Stage=v1}'

const definitions = [
  {
    name: 'server-errors',
    definition: {
      expression: 'IF(failed >= 5, 100 * failed / requests, 0)',
      metrics: [failedInAMinute, `SampleCount of AWS/ApiGateway Count ${apiDimensions} in 60 s`],
      threshold: 1,
      periods: '2 of 5',
      missingData: 'notBreaching',
    },
  },
  {
    name: 'errors-at-low-traffic',
    definition: {
      expression: 'IF(failed >= 3, 100 * failed / requests, 0)',
      metrics: [failedIn15Minutes, `SampleCount of AWS/ApiGateway Count ${apiDimensions} in 900 s`],
      threshold: 5,
      periods: '1 of 1',
      missingData: 'notBreaching',
    },
  },
  {
    name: 'authorizer-failures',
    definition: {
      metrics: ['Sum of PetAdoption/pet-adoption-production-api AuthorizerFailures {} in 60 s'],
      threshold: 3,
      periods: '1 of 1',
      missingData: 'notBreaching',
    },
  },
  {
    name: 'throttled-keys',
    definition: {
      metrics: ['Sum of PetAdoption/pet-adoption-production-api UncountedRequests {} in 300 s'],
      threshold: 10,
      periods: '1 of 1',
      missingData: 'notBreaching',
    },
  },
  {
    name: 'access-log',
    definition: {
      expression: '100 * (requests - lines) / requests',
      metrics: [
        `SampleCount of AWS/ApiGateway Count ${apiDimensions} in 900 s`,
        'Sum of AWS/Logs IncomingLogEvents {LogGroupName=...} in 900 s',
      ],
      threshold: 50,
      periods: '2 of 2',
      missingData: 'notBreaching',
    },
  },
  {
    name: 'gateway-keys',
    definition: {
      metrics: ['Sum of AWS/Lambda Errors {FunctionName=..., Resource=...} in 3600 s'],
      threshold: 3,
      periods: '1 of 1',
      missingData: 'missing',
    },
  },
  {
    name: 'latency',
    definition: {
      expression: 'IF(requests >= 20, slowest, 0)',
      metrics: [
        `SampleCount of AWS/ApiGateway Latency ${apiDimensions} in 300 s`,
        `p95 of AWS/ApiGateway Latency ${apiDimensions} in 300 s`,
      ],
      threshold: 2_000,
      periods: '1 of 1',
      missingData: 'notBreaching',
    },
  },
  {
    name: 'refused',
    definition: {
      metrics: [`Sum of AWS/ApiGateway 4XXError ${apiDimensions} in 300 s`],
      threshold: 1_000,
      periods: '1 of 1',
      missingData: 'notBreaching',
    },
  },
]

describe('the alarms of production', () => {
  it('every alarm is listed', () => {
    expect(definitions.map(({ name }) => `pet-adoption-production-${name}`).toSorted()).toEqual(
      alarms.map(({ AlarmName }) => AlarmName).toSorted(),
    )
  })

  it.each(definitions)('the alarm $name has the metrics, periods and threshold of its definition', (listed) => {
    expect(describeAlarm(listed.name)).toEqual(listed.definition)
  })
})

it('the metrics of the access log are those that the alarms read', () => {
  const transformations = findProperties(api, 'AWS::Logs::MetricFilter').flatMap(
    ({ MetricTransformations }) => MetricTransformations,
  )

  const common = { MetricNamespace: 'PetAdoption/pet-adoption-production-api', MetricValue: '1', DefaultValue: 0 }
  expect(transformations).toEqual([
    { ...common, MetricName: 'Failed' },
    { ...common, MetricName: 'AuthorizerFailures' },
    { ...common, MetricName: 'UncountedRequests' },
  ])
})
