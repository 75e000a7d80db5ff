import { Aws, Duration } from 'aws-cdk-lib'
import {
  Alarm,
  ComparisonOperator,
  type IMetric,
  MathExpression,
  Metric,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch'
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions'
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import type { ILogGroup } from 'aws-cdk-lib/aws-logs'
import { Topic } from 'aws-cdk-lib/aws-sns'
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions'
import { Construct } from 'constructs'
import type { EnvironmentConfig, EnvironmentName, Firewall } from '../../environments.ts'
import { firewallRule } from '../api/web-firewall.ts'
import { apiMetric, countRequests } from './request-metrics.ts'

export interface ServiceAlarmsProps {
  readonly environment: EnvironmentName
  readonly config: EnvironmentConfig
  readonly apiName: string
  readonly accessLog: ILogGroup
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
    const topic = this.#addTopic(props.config)
    const symptoms = symptomsOf(props)
    this.all = symptoms.map((symptom) => this.#addAlarm(symptom, topic, props))
    this.ofRelease = this.all.filter((_, index) => symptoms[index]?.stopsRelease)
  }

  /** The texts of alarms hold no data, so the topic has no key of its own; CloudWatch may not use the one of AWS. */
  #addTopic({ alarmEmail = 'none' }: EnvironmentConfig): Topic {
    const topic = new Topic(this, 'Topic', { enforceSSL: true })
    topic.addToResourcePolicy(
      new PolicyStatement({
        principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
        actions: ['sns:Publish'],
        resources: [topic.topicArn],
        conditions: { StringEquals: { 'aws:SourceAccount': Aws.ACCOUNT_ID } },
      }),
    )
    if (alarmEmail !== 'none') topic.addSubscription(new EmailSubscription(alarmEmail))
    return topic
  }

  #addAlarm(symptom: Symptom, topic: Topic, { environment, config }: ServiceAlarmsProps): Alarm {
    const { name, means, metric, threshold, periods = 1 } = symptom
    const alarm = new Alarm(this, name, {
      alarmName: `pet-adoption-${environment}-${name}`,
      alarmDescription: `${means} Runbook: ${config.runbookUrl ?? 'infra/README.md'}#${name}`,
      metric,
      threshold,
      evaluationPeriods: periods,
      comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      // API Gateway writes its metrics only while there are requests.
      treatMissingData: TreatMissingData.NOT_BREACHING,
    })
    const action = new SnsAction(topic)
    alarm.addAlarmAction(action)
    alarm.addOkAction(action)
    return alarm
  }
}

const [oneMinute, fiveMinutes, fifteenMinutes] = [Duration.minutes(1), Duration.minutes(5), Duration.minutes(15)]

const symptomsOf = ({ apiName, accessLog, config: { firewall } }: ServiceAlarmsProps): readonly Symptom[] => {
  const api = (name: string, statistic: string) => apiMetric(apiName, name, statistic)
  const failed = countRequests(accessLog, apiName, 'Failed')
  /**
   * Failed requests in a hundred, or 0 where fewer than `least` failed. The account has one role for the access logs of all
   * its APIs, which another API may take away: API Gateway's own count stands in for a log that has stopped.
   */
  const failedShare = (least: number, period: Duration) =>
    new MathExpression({
      label: 'failed requests in a hundred',
      expression: `IF(FILL(failed, errors) >= ${least}, 100 * FILL(failed, errors) / requests, 0)`,
      usingMetrics: { failed, errors: api('5XXError', 'Sum'), requests: api('Count', 'SampleCount') },
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
        usingMetrics: { requests: api('Latency', 'SampleCount'), slowest: api('Latency', 'p95') },
        period: fiveMinutes,
      }),
      threshold: 2_000,
      stopsRelease: true,
    },
    {
      name: 'authorizer-failures',
      means: 'The authorizer failed on at least 3 requests in a minute; the response to each was 503.',
      metric: countRequests(accessLog, apiName, 'AuthorizerFailures').with({ period: oneMinute }),
      threshold: 3,
      stopsRelease: true,
    },
    {
      name: 'refused',
      means: 'At least 1000 requests in 5 minutes were refused (4xx), such as over a limit or without a valid API key.',
      metric: api('4XXError', 'Sum'),
      threshold: 1_000,
    },
    ...(firewall === undefined ? [] : [blocked(apiName, firewall)]),
  ]
}

const blocked = (apiName: string, { requestsPerAddress }: Firewall): Symptom => ({
  name: 'blocked',
  means: `The firewall blocked an IP address that sent more than ${requestsPerAddress} requests in 5 minutes.`,
  metric: new Metric({
    namespace: 'AWS/WAFV2',
    metricName: 'BlockedRequests',
    dimensionsMap: firewallRule(apiName),
    statistic: 'Sum',
    period: fiveMinutes,
  }),
  threshold: 1,
})
