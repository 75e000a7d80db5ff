import { Duration } from 'aws-cdk-lib'
import {
  Alarm,
  ComparisonOperator,
  type IMetric,
  MathExpression,
  Metric,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch'
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions'
import type { IFunction } from 'aws-cdk-lib/aws-lambda'
import type { ILogGroup } from 'aws-cdk-lib/aws-logs'
import type { ITopic } from 'aws-cdk-lib/aws-sns'
import { Construct } from 'constructs'
import type { EnvironmentConfig, EnvironmentName } from '../../environments.ts'
import { firewallRule } from '../api/web-firewall.ts'
import { apiMetric, countRequests } from './request-metrics.ts'

export interface ServiceAlarmsProps {
  readonly environment: EnvironmentName
  readonly config: EnvironmentConfig
  readonly apiName: string
  readonly topic: ITopic
  readonly accessLog: ILogGroup
  readonly authorizer: IFunction
}

/** What callers notice, whatever the cause. */
interface Symptom {
  /** The heading of the alarm's paragraph in the runbook, infra/README.md, and the end of the alarm's name. */
  readonly name: string
  readonly means: string
  readonly metric: IMetric
  /** The alarm begins at this value and above it. */
  readonly threshold: number
  /** The number of consecutive periods. @default 1 */
  readonly periods?: number
  /** Whether a release is rolled back by it. */
  readonly stopsRelease?: true
}

/**
 * The alarms of the service: each tells a symptom, once for all functions and tables. Each metric in an alarm has a
 * monthly price. The period of an alarm is a sliding window ("Alarm evaluation window" in the CloudWatch User Guide).
 */
export class ServiceAlarms extends Construct {
  readonly all: readonly Alarm[]
  /** Those that roll a release back. */
  readonly ofRelease: readonly Alarm[]

  constructor(scope: Construct, id: string, props: ServiceAlarmsProps) {
    super(scope, id)
    const symptoms = [...symptomsOfRequests(props), ...symptomsOfFirewall(props)]
    const nameOf = (symptom: Symptom) => `pet-adoption-${props.environment}-${symptom.name}`
    const add = (symptom: Symptom) => this.#add(symptom, nameOf(symptom), props)
    this.all = symptoms.map(add)
    this.ofRelease = this.all.filter((_, index) => symptoms[index]?.stopsRelease)
  }

  #add({ name, means, metric, threshold, periods = 1 }: Symptom, alarmName: string, props: ServiceAlarmsProps): Alarm {
    const alarm = new Alarm(this, name, {
      alarmName,
      alarmDescription: `${means} Runbook: ${props.config.runbookUrl ?? 'infra/README.md'}#${name}`,
      metric,
      threshold,
      evaluationPeriods: periods,
      comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      // Many metrics have no data while nothing happens.
      treatMissingData: TreatMissingData.NOT_BREACHING,
    })
    const action = new SnsAction(props.topic)
    alarm.addAlarmAction(action)
    alarm.addOkAction(action)
    return alarm
  }
}

const [oneMinute, fiveMinutes, fifteenMinutes] = [Duration.minutes(1), Duration.minutes(5), Duration.minutes(15)]

const symptomsOfRequests = ({ apiName, accessLog, authorizer }: ServiceAlarmsProps): readonly Symptom[] => {
  const { Failed, AuthorizerFailures, Limited } = countRequests(accessLog, apiName)
  /** Failed requests in a hundred, or 0 where fewer than `least` failed. */
  const failedShare = (least: number, period: Duration) =>
    new MathExpression({
      label: 'failed requests in a hundred',
      expression: `IF(failed >= ${least}, 100 * failed / requests, 0)`,
      usingMetrics: { failed: Failed, requests: apiMetric(apiName, 'Count', 'SampleCount') },
      period,
    })
  return [
    {
      name: 'server-errors',
      means: 'At least 5 responses a minute, and at least 1 in 100, were errors of the service (5xx), for 2 minutes.',
      metric: failedShare(5, oneMinute),
      threshold: 1,
      periods: 2,
      stopsRelease: true,
    },
    {
      name: 'errors-at-low-traffic',
      means: 'At least 3 responses in 15 minutes, and at least 1 in 20, were errors of the service (5xx).',
      metric: failedShare(3, fifteenMinutes),
      threshold: 5,
      stopsRelease: true,
    },
    {
      name: 'latency',
      means: 'The slowest 5% of at least 20 requests in 5 minutes took at least 2 s.',
      // With fewer requests a percentile means nothing. CloudWatch itself requires 200.
      metric: new MathExpression({
        label: '95th percentile, ms',
        expression: 'IF(requests >= 20, slowest, 0)',
        usingMetrics: {
          requests: apiMetric(apiName, 'Latency', 'SampleCount'),
          slowest: apiMetric(apiName, 'Latency', 'p95'),
        },
        period: fiveMinutes,
      }),
      threshold: 2_000,
      stopsRelease: true,
    },
    {
      name: 'authorizer-failures',
      means: 'The authorizer failed on at least 3 requests in a minute; the response to each was 503.',
      metric: AuthorizerFailures.with({ period: oneMinute }),
      threshold: 3,
      stopsRelease: true,
    },
    {
      name: 'unauthorized',
      means: 'At least 500 requests in 5 minutes had no valid API key.',
      // It refuses an invalid key by throwing, which Lambda counts as an error.
      metric: authorizer.metricErrors({ period: fiveMinutes }),
      threshold: 500,
    },
    {
      name: 'limited',
      means: 'At least 1000 requests in 5 minutes were over a limit, or had a banned API key.',
      metric: Limited.with({ period: fiveMinutes }),
      threshold: 1_000,
    },
  ]
}

const symptomsOfFirewall = ({ apiName, config: { firewall } }: ServiceAlarmsProps): readonly Symptom[] =>
  firewall === undefined
    ? []
    : [
        {
          name: 'blocked',
          means: `The firewall blocked an IP address that sent more than ${firewall.requestsPerAddress} requests in 5 minutes.`,
          metric: new Metric({
            namespace: 'AWS/WAFV2',
            metricName: 'BlockedRequests',
            dimensionsMap: firewallRule(apiName),
            statistic: 'Sum',
            period: fiveMinutes,
          }),
          threshold: 1,
        },
      ]
