import { Aws, Duration } from 'aws-cdk-lib'
import {
  Alarm,
  type AlarmProps,
  ComparisonOperator,
  MathExpression,
  Metric,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch'
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions'
import { ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import { FilterPattern, type ILogGroup } from 'aws-cdk-lib/aws-logs'
import { Topic } from 'aws-cdk-lib/aws-sns'
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions'
import { Construct } from 'constructs'
import { stageName } from '../../contract/contract.ts'
import type { EnvironmentConfig, EnvironmentName } from '../../environments.ts'
import { firewallRule } from '../api/web-firewall.ts'

/** The API that is watched, by its name, and its log. */
export interface Watched {
  readonly environment: EnvironmentName
  readonly config: EnvironmentConfig
  readonly apiName: string
  readonly accessLog: ILogGroup
}

/** What callers notice, whatever the cause. The alarm begins at `threshold`, by default in one period. */
interface Symptom extends Pick<AlarmProps, 'metric' | 'threshold'> {
  readonly means: string
  readonly periods?: number
  /** Whether a release is rolled back by it. */
  readonly stopsRelease?: true
}

/** Each tells a symptom, once for the whole service. Each metric in an alarm has a monthly price. */
export class ServiceAlarms extends Construct {
  readonly all: readonly Alarm[]
  /** Those that roll a release back. */
  readonly ofRelease: readonly Alarm[]

  constructor(scope: Construct, id: string, props: Watched) {
    super(scope, id)
    const { environment, config } = props
    const { runbookUrl = 'infra/README.md', alarmEmail = 'none' } = config
    // The texts of alarms hold no data, so the topic has no key of its own; CloudWatch may not use the one of AWS.
    const topic = new Topic(this, 'Topic', { enforceSSL: true })
    const ofThisAccount = { StringEquals: { 'aws:SourceAccount': Aws.ACCOUNT_ID } }
    topic.grantPublish(new ServicePrincipal('cloudwatch.amazonaws.com', { conditions: ofThisAccount }))
    if (alarmEmail !== 'none') topic.addSubscription(new EmailSubscription(alarmEmail))
    const action = new SnsAction(topic)

    const alarms = Object.entries(symptomsOf(props)).map(
      ([name, { means, metric, threshold, periods, stopsRelease }]) => {
        const alarm = new Alarm(this, name, {
          alarmName: `pet-adoption-${environment}-${name}`,
          alarmDescription: `${means} Runbook: ${runbookUrl}#${name}`,
          metric,
          threshold,
          evaluationPeriods: periods ?? 1,
          comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
          // API Gateway writes its metrics only while there are requests.
          treatMissingData: TreatMissingData.NOT_BREACHING,
        })
        alarm.addAlarmAction(action)
        alarm.addOkAction(action)
        return { alarm, stopsRelease }
      },
    )
    this.all = alarms.map(({ alarm }) => alarm)
    this.ofRelease = alarms.flatMap(({ alarm, stopsRelease }) => (stopsRelease ? [alarm] : []))
  }
}

/**
 * A metric of API Gateway, in five minutes. It has the names of API and stage rather than references: an alarm that rolls
 * functions back would wait for the stage, and the stage for the functions.
 */
export const apiMetric = (apiName: string, metricName: string, statistic: string): Metric =>
  new Metric({
    ...{ namespace: 'AWS/ApiGateway', metricName, statistic, label: statistic },
    dimensionsMap: { ApiName: apiName, Stage: stageName },
  })

/**
 * What is counted in the access log, each at the price of a metric: API Gateway's `5XXError` has the reserved operation's
 * 501 as well ("Amazon API Gateway dimensions and metrics").
 */
const counted = {
  /** Errors of the service. */
  Failed: '{ ($.status = "5*") && ($.status != "501") }',
  /** The requests on which the authorizer failed to decide. Each of them is `Failed` too. */
  AuthorizerFailures: '{ $.responseType = "AUTHORIZER_*" }',
} as const

/**
 * The alarms by their names, which are headings of the runbook, infra/README.md. The period of an alarm is a sliding window
 * ("Alarm evaluation window" in the CloudWatch User Guide).
 */
const symptomsOf = ({ apiName, accessLog, config: { firewall } }: Watched): Record<string, Symptom> => {
  const count = (metricName: keyof typeof counted): Metric =>
    accessLog
      .addMetricFilter(metricName, {
        ...{ metricNamespace: `PetAdoption/${apiName}`, metricName, metricValue: '1', defaultValue: 0 },
        filterPattern: FilterPattern.literal(counted[metricName]),
      })
      .metric({ statistic: 'Sum' })
  const failed = count('Failed')
  const errors = apiMetric(apiName, '5XXError', 'Sum')
  /**
   * Failed requests in a hundred, or 0 where fewer than `least` failed. The account has one role for the access logs of all
   * its APIs, which another API may take away: API Gateway's own count stands in for a log that has stopped.
   */
  const failedShare = (least: number, minutes: number) =>
    new MathExpression({
      label: 'failed requests in a hundred',
      expression: `IF(FILL(failed, errors) >= ${least}, 100 * FILL(failed, errors) / requests, 0)`,
      usingMetrics: { failed, errors, requests: apiMetric(apiName, 'Count', 'SampleCount') },
      period: Duration.minutes(minutes),
    })
  return {
    'server-errors': {
      means: 'At least 5 responses a minute, and at least 1 in 100, were errors of the service (5xx), for 2 minutes.',
      metric: failedShare(5, 1),
      threshold: 1,
      periods: 2,
      stopsRelease: true,
    },
    'errors-at-low-traffic': {
      means: 'At least 3 responses in 15 minutes, and at least 1 in 20, were errors of the service (5xx).',
      metric: failedShare(3, 15),
      threshold: 5,
      stopsRelease: true,
    },
    latency: {
      means: 'The slowest 5% of at least 20 requests in 5 minutes took at least 2 s.',
      // With fewer requests a percentile means nothing. CloudWatch itself requires 200.
      metric: new MathExpression({
        label: '95th percentile, ms',
        expression: 'IF(requests >= 20, slowest, 0)',
        usingMetrics: {
          requests: apiMetric(apiName, 'Latency', 'SampleCount'),
          slowest: apiMetric(apiName, 'Latency', 'p95'),
        },
        period: Duration.minutes(5),
      }),
      threshold: 2_000,
      stopsRelease: true,
    },
    'authorizer-failures': {
      means: 'The authorizer failed on at least 3 requests in a minute; the response to each was 503.',
      metric: count('AuthorizerFailures').with({ period: Duration.minutes(1) }),
      threshold: 3,
      stopsRelease: true,
    },
    refused: {
      means: 'At least 1000 requests in 5 minutes were refused (4xx), such as over a limit or without a valid API key.',
      metric: apiMetric(apiName, '4XXError', 'Sum'),
      threshold: 1_000,
    },
    ...(firewall !== undefined && {
      blocked: {
        means: `The firewall blocked an IP address that sent more than ${firewall.requestsPerAddress} requests in 5 minutes.`,
        metric: new Metric({
          namespace: 'AWS/WAFV2',
          metricName: 'BlockedRequests',
          dimensionsMap: firewallRule(apiName),
          statistic: 'Sum',
          period: Duration.minutes(5),
        }),
        threshold: 1,
      },
    }),
  }
}
