import { Duration } from 'aws-cdk-lib'
import {
  Alarm,
  ComparisonOperator,
  type IMetric,
  MathExpression,
  type Metric,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch'
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions'
import type { ITopic } from 'aws-cdk-lib/aws-sns'
import type { Construct } from 'constructs'
import type { EnvironmentName } from '../../environments.ts'

/** What all alarms of an environment have in common. */
export interface AlarmScope {
  readonly environment: EnvironmentName
  readonly topic: ITopic
  /** The address of infra/README.md on the web, if it has one. */
  readonly runbookUrl: string | undefined
}

export interface ServiceAlarmProps extends AlarmScope {
  /** The heading of the alarm's paragraph in the runbook, infra/README.md. */
  readonly runbook: string
  /** The function or table that the alarm watches, where several alarms share a paragraph. */
  readonly subject?: string
  readonly means: string
  readonly metric: IMetric
  /** The alarm begins at this value and above it. */
  readonly threshold: number
  /** The number of consecutive periods. @default 1 */
  readonly periods?: number
}

/** An alarm that links its paragraph of the runbook, and notifies the topic when it begins and when it ends. */
export class ServiceAlarm extends Alarm {
  /** Known before deployment, so that the dashboard needs no reference to the alarm's stack. */
  readonly fixedName: string

  constructor(scope: Construct, id: string, props: ServiceAlarmProps) {
    const { environment, topic, runbookUrl, runbook, subject, means, metric, threshold, periods = 1 } = props
    const alarmName = ['pet-adoption', environment, ...(subject === undefined ? [] : [subject]), runbook].join('-')
    super(scope, id, {
      alarmName,
      alarmDescription: `${means} Runbook: ${runbookUrl ?? 'infra/README.md'}#${runbook}`,
      metric,
      threshold,
      evaluationPeriods: periods,
      comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      // Many metrics have no data while nothing happens.
      treatMissingData: TreatMissingData.NOT_BREACHING,
    })
    this.fixedName = alarmName
    const action = new SnsAction(topic)
    this.addAlarmAction(action)
    this.addOkAction(action)
  }
}

/** The minimum of runs or requests in a period for a percentile to be meaningful. CloudWatch itself requires 200. */
const minimumSamples = 20

/** The 95th percentile, or 0 with too few samples. A canary's tenth of the traffic, if slow, raises it. */
export const percentile95 = (duration: Metric): MathExpression => {
  const { period } = duration
  return new MathExpression({
    label: '95th percentile, ms',
    expression: `IF(runs >= ${minimumSamples}, slowest, 0)`,
    usingMetrics: {
      runs: duration.with({ statistic: 'SampleCount' }),
      slowest: duration.with({ statistic: 'p95' }),
    },
    period,
  })
}

export const oneMinute = Duration.minutes(1)
export const fiveMinutes = Duration.minutes(5)
