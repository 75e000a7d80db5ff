import { Duration } from 'aws-cdk-lib'
import { Alarm, ComparisonOperator, type IMetric, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch'
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions'
import type { ITopic } from 'aws-cdk-lib/aws-sns'
import type { Construct } from 'constructs'
import type { EnvironmentName } from '../environments.ts'

/** What every alarm of an environment has in common. */
export interface AlarmScope {
  readonly environment: EnvironmentName
  readonly topic: ITopic
}

export interface ServiceAlarmProps extends AlarmScope {
  /** The heading of the alarm's paragraph in infra/README.md. */
  readonly runbook: string
  /** What the alarm is about, where several share a paragraph. */
  readonly subject?: string
  readonly means: string
  readonly metric: IMetric
  /** The least value that is too much. */
  readonly threshold: number
  /** How many periods in a row. @default 1 */
  readonly periods?: number
  /** Of a percentile: a few requests do not tell it, so they change nothing. */
  readonly isPercentile?: true
}

/** An alarm that names its paragraph of the runbook, and tells of its beginning and its end. */
export class ServiceAlarm extends Alarm {
  /** Known before it is deployed, so that the dashboard need not refer to the alarm's stack. */
  readonly fixedName: string

  constructor(scope: Construct, id: string, props: ServiceAlarmProps) {
    const { environment, topic, runbook, subject, means, metric, threshold, periods = 1, isPercentile } = props
    const alarmName = ['pet-adoption', environment, ...(subject === undefined ? [] : [subject]), runbook].join('-')
    super(scope, id, {
      alarmName,
      alarmDescription: `${means} Runbook: infra/README.md#${runbook}`,
      metric,
      threshold,
      evaluationPeriods: periods,
      comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      ...(isPercentile && { evaluateLowSampleCountPercentile: 'ignore' }),
      // Nothing is written where nothing happens.
      treatMissingData: TreatMissingData.NOT_BREACHING,
    })
    this.fixedName = alarmName
    const action = new SnsAction(topic)
    this.addAlarmAction(action)
    this.addOkAction(action)
  }
}

export const oneMinute = Duration.minutes(1)
export const fiveMinutes = Duration.minutes(5)
