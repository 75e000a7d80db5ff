import type { IMetric } from 'aws-cdk-lib/aws-cloudwatch'
import type { Alias } from 'aws-cdk-lib/aws-lambda'
import { Construct } from 'constructs'
import { type AlarmScope, fiveMinutes, oneMinute, ServiceAlarm } from './service-alarm.ts'

export interface FunctionAlarmsProps extends AlarmScope {
  readonly name: string
  readonly alias: Alias
  /** From how many milliseconds on its slowest requests are too slow. */
  readonly slowMilliseconds: number
  /**
   * Whether an invocation that throws is a fault. The authorizer refuses a bad key by throwing, which
   * Lambda counts as an error, so its faults are counted by what API Gateway makes of them.
   */
  readonly throwingIsFault: boolean
}

/** Watches one function, at the alias that requests use. */
export class FunctionAlarms extends Construct {
  /** Those that tell a bad release. */
  readonly ofRelease: readonly ServiceAlarm[]

  constructor(scope: Construct, id: string, props: FunctionAlarmsProps) {
    super(scope, id)
    const { name, alias, slowMilliseconds, throwingIsFault } = props
    const add = (runbook: string, means: string, metric: IMetric, threshold: number, periods = 1): ServiceAlarm =>
      new ServiceAlarm(this, runbook, { ...props, subject: name, runbook, means, metric, threshold, periods })

    const errors = alias.metricErrors({ period: oneMinute })
    const latency = alias.metricDuration({ statistic: 'p99', period: oneMinute })
    const throttles = alias.metricThrottles({ period: fiveMinutes })
    add('function-throttles', `Lambda refused to run ${name} for want of concurrency.`, throttles, 1)
    this.ofRelease = [
      ...(throwingIsFault
        ? [add('function-errors', `${name} crashed, or ran out of time or memory, 3 times in a minute.`, errors, 3)]
        : []),
      add(
        'function-latency',
        `One in a hundred runs of ${name} took ${slowMilliseconds} ms or more, for 3 minutes.`,
        latency,
        slowMilliseconds,
        3,
      ),
    ]
  }
}
