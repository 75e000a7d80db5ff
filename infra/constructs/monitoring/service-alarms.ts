import { Aws, Duration } from 'aws-cdk-lib'
import {
  Alarm,
  type IAlarmAction,
  type IMetric,
  MathExpression,
  Metric,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch'
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions'
import { ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import type { IFunction } from 'aws-cdk-lib/aws-lambda'
import { FilterPattern, type ILogGroup } from 'aws-cdk-lib/aws-logs'
import { Topic } from 'aws-cdk-lib/aws-sns'
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions'
import { Construct } from 'constructs'
import { stageName } from '../../contract/contract.ts'
import type { EnvironmentConfig, EnvironmentName } from '../../environments.ts'

export interface MonitoringProps {
  readonly environment: EnvironmentName
  readonly config: EnvironmentConfig
  /** Name of the REST API. */
  readonly apiName: string
  readonly accessLog: ILogGroup
  /** The function `gateway-keys`. */
  readonly gatewayKeys: IFunction
}

/** A sign that something is wrong, whatever the cause. Each symptom has one alarm, for the whole service. */
interface Symptom {
  /** Heading of its section in infra/RUNBOOK.md, and the last part of the alarm's name. */
  readonly name: string
  /** First sentence of the alarm's description. */
  readonly meaning: string
  /** Metric that the alarm watches. Each metric in an alarm has a monthly price. */
  readonly metric: IMetric
  /** The alarm begins when the metric reaches this value. */
  readonly threshold: number
  /** Number of the last periods that are compared with the threshold. @default 1 */
  readonly evaluationPeriods?: number
  /** Number of these periods that must reach the threshold. @default all */
  readonly datapointsToAlarm?: number
  /** Whether operators are notified if the metric has no value, because its function does not run. @default false */
  readonly mustHaveValues?: boolean
}

export class ServiceAlarms extends Construct {
  /** Alarms that roll a release back. */
  readonly rollbackAlarms: readonly Alarm[]
  readonly allAlarms: readonly Alarm[]
  /** ARN of the topic whose subscribers get the alarms. */
  readonly topicArn: string

  constructor(scope: Construct, id: string, props: MonitoringProps) {
    super(scope, id)
    const topic = this.#createTopic(props.config)
    this.topicArn = topic.topicArn
    const action = new SnsAction(topic)
    const createAlarm = (symptom: Symptom) => this.#createAlarm(symptom, props, action)

    this.rollbackAlarms = defineServiceSymptoms(props).map(createAlarm)
    const otherSymptoms = [...defineCallerSymptoms(props), ...defineInternalSymptoms(props)]
    this.allAlarms = [...this.rollbackAlarms, ...otherSymptoms.map(createAlarm)]
  }

  #createTopic({ alarmEmail = 'none' }: EnvironmentConfig): Topic {
    // The topic is not encrypted with KMS: alarm texts hold no data of callers, and CloudWatch has no permission for
    // the AWS managed key `alias/aws/sns`.
    const topic = new Topic(this, 'Topic', { enforceSSL: true })
    const sameAccount = { StringEquals: { 'aws:SourceAccount': Aws.ACCOUNT_ID } }
    topic.grantPublish(new ServicePrincipal('cloudwatch.amazonaws.com', { conditions: sameAccount }))
    if (alarmEmail !== 'none') topic.addSubscription(new EmailSubscription(alarmEmail))
    return topic
  }

  #createAlarm(symptom: Symptom, { environment, config }: MonitoringProps, action: IAlarmAction): Alarm {
    const { name, meaning, metric, threshold, evaluationPeriods = 1, datapointsToAlarm, mustHaveValues } = symptom
    const { runbookUrl = 'infra/RUNBOOK.md' } = config
    const alarm = new Alarm(this, name, {
      alarmName: `pet-adoption-${environment}-${name}`,
      alarmDescription: `${meaning} Runbook: ${runbookUrl}#${name}`,
      metric,
      threshold,
      evaluationPeriods,
      ...(datapointsToAlarm !== undefined && { datapointsToAlarm }),
      // API Gateway writes its metrics only while there are requests, so a missing value is no fault. `MISSING` makes
      // it one: the alarm then has insufficient data, of which operators are notified below.
      treatMissingData: mustHaveValues ? TreatMissingData.MISSING : TreatMissingData.NOT_BREACHING,
    })
    alarm.addAlarmAction(action)
    alarm.addOkAction(action)
    if (mustHaveValues) alarm.addInsufficientDataAction(action)
    return alarm
  }
}

/**
 * Creates a metric of API Gateway, with CDK's default period of five minutes. The metric has the names of API and stage
 * instead of references to them. References would make a circular dependency: functions -> rollback alarm -> stage ->
 * functions.
 */
export const createApiMetric = (apiName: string, metricName: string, statistic: string): Metric =>
  new Metric({
    namespace: 'AWS/ApiGateway',
    metricName,
    dimensionsMap: { ApiName: apiName, Stage: stageName },
    statistic,
    label: statistic,
  })

/**
 * Creates a metric that counts lines of the access log. Each such metric has a monthly price. API Gateway's own
 * `5XXError` is free, but also counts the 501 of the reserved operation ("Amazon API Gateway dimensions and metrics").
 */
const createAccessLogMetric = ({ apiName, accessLog }: MonitoringProps, metricName: string, pattern: string): Metric =>
  accessLog
    .addMetricFilter(metricName, {
      filterPattern: FilterPattern.literal(pattern),
      metricNamespace: `PetAdoption/${apiName}`,
      metricName,
      metricValue: '1',
      defaultValue: 0,
    })
    .metric({ statistic: 'Sum' })

interface FailurePercentageOptions {
  readonly leastFailures: number
  readonly periodMinutes: number
}

/**
 * Defines the symptoms that a release may have caused. Their alarms roll it back.
 *
 * CloudWatch evaluates an alarm over a sliding window, so a period of 15 minutes is any 15 minutes, not a quarter of
 * the hour ("Alarm evaluation window" in the CloudWatch User Guide).
 */
const defineServiceSymptoms = (props: MonitoringProps): readonly Symptom[] => {
  const { apiName } = props
  // The pattern leaves out the requests that the alarm `throttled-keys` counts: one API key that is used too often must
  // not roll a release back.
  const failed = createAccessLogMetric(
    props,
    'Failed',
    '{ ($.status = "5*") && ($.status != "501") && ($.errorCode != "service_unavailable") }',
  )
  // Requests about which the authorizer could not decide. `failed` counts each of them too.
  const authorizerFailures = createAccessLogMetric(props, 'AuthorizerFailures', '{ $.responseType = "AUTHORIZER_*" }')
  const requests = createApiMetric(apiName, 'Count', 'SampleCount')

  /**
   * Creates a metric of the percentage of requests that failed: 0 if fewer than `leastFailures` failed in the period.
   * While the access log is late, or has stopped, the metric has no value or 0. The alarm `access-log` reports a log
   * that has stopped.
   */
  const createFailurePercentage = ({ leastFailures, periodMinutes }: FailurePercentageOptions) =>
    new MathExpression({
      label: 'failed requests in a hundred',
      expression: `IF(failed >= ${leastFailures}, 100 * failed / requests, 0)`,
      usingMetrics: { failed, requests },
      period: Duration.minutes(periodMinutes),
    })

  return [
    {
      name: 'server-errors',
      meaning:
        'In 2 of 5 minutes at least 5 responses, and at least 1 in 100, were errors of the service (5xx) other than 501.',
      metric: createFailurePercentage({ leastFailures: 5, periodMinutes: 1 }),
      threshold: 1,
      // The lines of the latest minute may not have arrived. An alarm on a late metric evaluates M of N periods ("Using
      // math expressions with CloudWatch metrics" in the CloudWatch User Guide).
      evaluationPeriods: 5,
      datapointsToAlarm: 2,
    },
    {
      name: 'errors-at-low-traffic',
      meaning:
        'At least 3 responses in 15 minutes, and at least 1 in 20, were errors of the service (5xx) other than 501.',
      metric: createFailurePercentage({ leastFailures: 3, periodMinutes: 15 }),
      threshold: 5,
    },
    {
      name: 'latency',
      meaning: 'The slowest 5% of at least 20 requests in 5 minutes took at least 2 s.',
      metric: new MathExpression({
        label: '95th percentile, ms',
        // Five percent of fewer than 20 requests are not even one. CloudWatch's own option for small samples would skip
        // those of fewer than 200 ("Percentile-based alarms and low data samples" in the CloudWatch User Guide).
        expression: 'IF(requests >= 20, slowest, 0)',
        usingMetrics: {
          requests: createApiMetric(apiName, 'Latency', 'SampleCount'),
          slowest: createApiMetric(apiName, 'Latency', 'p95'),
        },
      }),
      threshold: 2_000,
    },
    {
      name: 'authorizer-failures',
      meaning: 'The authorizer failed on at least 3 requests in a minute; the response to each was 503.',
      metric: authorizerFailures.with({ period: Duration.minutes(1) }),
      threshold: 3,
    },
  ]
}

/** Defines the symptoms that callers cause. Their alarms do not roll a release back. */
const defineCallerSymptoms = (props: MonitoringProps): readonly Symptom[] => [
  {
    name: 'throttled-keys',
    meaning: 'At least 10 requests of keys within their limits got 503 in 5 minutes: DynamoDB throttled the counting.',
    metric: createAccessLogMetric(props, 'UncountedRequests', '{ $.errorCode = "service_unavailable" }'),
    threshold: 10,
  },
  {
    name: 'refused',
    meaning: 'At least 1000 requests in 5 minutes were refused (4xx), such as over a limit or without a valid API key.',
    metric: createApiMetric(props.apiName, '4XXError', 'Sum'),
    threshold: 1_000,
  },
]

/** Defines the symptoms that no caller notices. Their alarms do not roll a release back. */
const defineInternalSymptoms = ({ apiName, accessLog, gatewayKeys }: MonitoringProps): readonly Symptom[] => [
  {
    // The account has one role for the access logs of all its APIs, and another API may remove it.
    name: 'access-log',
    meaning: 'For half an hour fewer than half of the requests had a line in the access log, which other alarms read.',
    metric: new MathExpression({
      label: 'requests without a line, in a hundred',
      // A metric without a value counts as 0 in arithmetic, and a division by 0 has no value ("Using math expressions
      // with CloudWatch metrics"). So the result is 100 without lines, and no value without requests.
      expression: '100 * (requests - lines) / requests',
      usingMetrics: {
        requests: createApiMetric(apiName, 'Count', 'SampleCount'),
        lines: new Metric({
          namespace: 'AWS/Logs',
          metricName: 'IncomingLogEvents',
          dimensionsMap: { LogGroupName: accessLog.logGroupName },
          statistic: 'Sum',
        }),
      },
      period: Duration.minutes(15),
    }),
    threshold: 50,
    // Lines that are a little late are missing in the latest period only.
    evaluationPeriods: 2,
  },
  {
    name: 'gateway-keys',
    meaning:
      'At least 3 runs of gateway-keys failed in an hour, or it does not run, so usage plans do not limit new keys.',
    // A run with a failed step is an error too.
    metric: gatewayKeys.metricErrors({ period: Duration.hours(1), statistic: 'Sum' }),
    threshold: 3,
    mustHaveValues: true,
  },
]
