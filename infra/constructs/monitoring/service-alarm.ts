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
  /** Known before it is deployed, so that the dashboard need not refer to the alarm's stack. */
  readonly fixedName: string

  constructor(scope: Construct, id: string, props: ServiceAlarmProps) {
    const { environment, topic, runbook, subject, means, metric, threshold, periods = 1 } = props
    const alarmName = ['pet-adoption', environment, ...(subject === undefined ? [] : [subject]), runbook].join('-')
    super(scope, id, {
      alarmName,
      alarmDescription: `${means} Runbook: infra/README.md#${runbook}`,
      metric,
      threshold,
      evaluationPeriods: periods,
      comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      // Nothing is written where nothing happens.
      treatMissingData: TreatMissingData.NOT_BREACHING,
    })
    this.fixedName = alarmName
    const action = new SnsAction(topic)
    this.addAlarmAction(action)
    this.addOkAction(action)
  }
}

/** The fewest runs or requests in a period that tell what is slow. */
const fewestToJudge = 20

/**
 * What the slowest twentieth takes at least, or 0 where too few tell it: CloudWatch itself would want
 * 200. A canary's tenth of the traffic, if slow, is in it.
 */
export const slowestTwentieth = (duration: Metric): MathExpression => {
  const { period } = duration
  return new MathExpression({
    label: 'milliseconds of the slowest twentieth',
    expression: `IF(runs >= ${fewestToJudge}, slowest, 0)`,
    usingMetrics: {
      runs: duration.with({ statistic: 'SampleCount' }),
      slowest: duration.with({ statistic: 'p95' }),
    },
    period,
  })
}

export const oneMinute = Duration.minutes(1)
export const fiveMinutes = Duration.minutes(5)
