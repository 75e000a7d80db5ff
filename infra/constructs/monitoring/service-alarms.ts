import { Aws, Duration } from 'aws-cdk-lib'
import { Alarm, type AlarmProps, MathExpression, Metric, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch'
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
interface Symptom extends Pick<AlarmProps, 'metric' | 'threshold'>, Partial<Pick<AlarmProps, 'evaluationPeriods'>> {
  readonly means: string
}

/**
 * The alarms by their names, which are headings of the runbook, infra/README.md. Each tells a symptom, once for the whole
 * service; each metric in it has a monthly price.
 */
type Symptoms = Readonly<Record<string, Symptom>>

export class ServiceAlarms extends Construct {
  /** Those that roll a release back. */
  readonly ofRelease: readonly Alarm[]
  readonly all: readonly Alarm[]

  constructor(scope: Construct, id: string, watched: Watched) {
    super(scope, id)
    const { environment, config } = watched
    const { runbookUrl = 'infra/README.md', alarmEmail = 'none' } = config
    // The texts of alarms hold no data, so the topic has no key of its own; CloudWatch may not use the one of AWS.
    const topic = new Topic(this, 'Topic', { enforceSSL: true })
    const ofThisAccount = { StringEquals: { 'aws:SourceAccount': Aws.ACCOUNT_ID } }
    topic.grantPublish(new ServicePrincipal('cloudwatch.amazonaws.com', { conditions: ofThisAccount }))
    if (alarmEmail !== 'none') topic.addSubscription(new EmailSubscription(alarmEmail))
    const action = new SnsAction(topic)

    const alarmsAt = (symptoms: Symptoms): Alarm[] =>
      Object.entries(symptoms).map(([name, { means, ...symptom }]) => {
        const alarm = new Alarm(this, name, {
          evaluationPeriods: 1,
          ...symptom,
          alarmName: `pet-adoption-${environment}-${name}`,
          alarmDescription: `${means} Runbook: ${runbookUrl}#${name}`,
          // API Gateway writes its metrics only while there are requests.
          treatMissingData: TreatMissingData.NOT_BREACHING,
        })
        alarm.addAlarmAction(action)
        alarm.addOkAction(action)
        return alarm
      })
    this.ofRelease = alarmsAt(ofService(watched))
    this.all = [...this.ofRelease, ...alarmsAt(ofCallers(watched))]
  }
}

/**
 * A metric of API Gateway, in five minutes. It has the names of API and stage rather than references: an alarm that rolls
 * functions back would wait for the stage, and the stage for the functions.
 */
export const apiMetric = (apiName: string, metricName: string, statistic: string): Metric =>
  new Metric({
    namespace: 'AWS/ApiGateway',
    metricName,
    dimensionsMap: { ApiName: apiName, Stage: stageName },
    statistic,
    label: statistic,
  })

/** What a release may have done. The period of an alarm is a sliding window ("Alarm evaluation window" in the CloudWatch User Guide). */
const ofService = ({ apiName, accessLog }: Watched): Symptoms => {
  /**
   * Counts in the access log, each at the price of a metric: API Gateway's `5XXError` has the reserved operation's 501 as
   * well ("Amazon API Gateway dimensions and metrics").
   */
  const count = (metricName: string, pattern: string): Metric =>
    accessLog
      .addMetricFilter(metricName, {
        filterPattern: FilterPattern.literal(pattern),
        metricNamespace: `PetAdoption/${apiName}`,
        metricName,
        metricValue: '1',
        defaultValue: 0,
      })
      .metric({ statistic: 'Sum' })
  const failed = count('Failed', '{ ($.status = "5*") && ($.status != "501") }')
  /** The requests on which the authorizer failed to decide. Each of them is `Failed` too. */
  const authorizerFailures = count('AuthorizerFailures', '{ $.responseType = "AUTHORIZER_*" }')
  const requests = apiMetric(apiName, 'Count', 'SampleCount')
  const errors = apiMetric(apiName, '5XXError', 'Sum')
  /**
   * Failed requests in a hundred, or 0 where fewer than `least` failed. The account has one role for the access logs of all
   * its APIs, which another API may take away: API Gateway's own count stands in for a log that has stopped.
   */
  const failedShare = (least: number, minutes: number) =>
    new MathExpression({
      label: 'failed requests in a hundred',
      expression: `IF(FILL(failed, errors) >= ${least}, 100 * FILL(failed, errors) / requests, 0)`,
      usingMetrics: { failed, errors, requests },
      period: Duration.minutes(minutes),
    })
  return {
    'server-errors': {
      means: 'At least 5 responses a minute, and at least 1 in 100, were errors of the service (5xx), for 2 minutes.',
      metric: failedShare(5, 1),
      threshold: 1,
      evaluationPeriods: 2,
    },
    'errors-at-low-traffic': {
      means: 'At least 3 responses in 15 minutes, and at least 1 in 20, were errors of the service (5xx).',
      metric: failedShare(3, 15),
      threshold: 5,
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
      }),
      threshold: 2_000,
    },
    'authorizer-failures': {
      means: 'The authorizer failed on at least 3 requests in a minute; the response to each was 503.',
      metric: authorizerFailures.with({ period: Duration.minutes(1) }),
      threshold: 3,
    },
  }
}

/** What callers do. */
const ofCallers = ({ apiName, config: { requestsPerAddress } }: Watched): Symptoms => ({
  refused: {
    means: 'At least 1000 requests in 5 minutes were refused (4xx), such as over a limit or without a valid API key.',
    metric: apiMetric(apiName, '4XXError', 'Sum'),
    threshold: 1_000,
  },
  ...(requestsPerAddress !== undefined && {
    blocked: {
      means: `The firewall blocked an IP address that sent more than ${requestsPerAddress} requests in 5 minutes.`,
      metric: new Metric({
        namespace: 'AWS/WAFV2',
        metricName: 'BlockedRequests',
        dimensionsMap: firewallRule(apiName),
        statistic: 'Sum',
      }),
      threshold: 1,
    },
  }),
})
