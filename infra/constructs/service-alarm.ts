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
}

/** An alarm that names its paragraph of the runbook, and tells of its beginning and its end. */
export class ServiceAlarm extends Alarm {
  constructor(scope: Construct, id: string, props: ServiceAlarmProps) {
    const { environment, topic, runbook, subject, means, metric, threshold, periods = 1 } = props
    super(scope, id, {
      alarmName: ['pet-adoption', environment, ...(subject === undefined ? [] : [subject]), runbook].join('-'),
      alarmDescription: `${means} Runbook: infra/README.md#${runbook}`,
      metric,
      threshold,
      evaluationPeriods: periods,
      comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      // Nothing is written where nothing happens.
      treatMissingData: TreatMissingData.NOT_BREACHING,
    })
    const action = new SnsAction(topic)
    this.addAlarmAction(action)
    this.addOkAction(action)
  }
}

export const oneMinute = Duration.minutes(1)
export const fiveMinutes = Duration.minutes(5)
