import type { Alias } from 'aws-cdk-lib/aws-lambda'
import { Construct } from 'constructs'
import { type AlarmScope, fiveMinutes, oneMinute, ServiceAlarm, type ServiceAlarmProps } from './service-alarm.ts'

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
    const add = (
      alarm: Pick<ServiceAlarmProps, 'runbook' | 'means' | 'metric' | 'threshold' | 'periods' | 'isPercentile'>,
    ) => new ServiceAlarm(this, alarm.runbook, { ...props, ...alarm, subject: name })

    add({
      runbook: 'function-throttles',
      means: `Lambda refused to run ${name} for want of concurrency.`,
      metric: alias.metricThrottles({ period: fiveMinutes }),
      threshold: 1,
    })
    const latency = add({
      runbook: 'function-latency',
      means: `One in a hundred runs of ${name} took ${slowMilliseconds} ms or more, for 3 minutes.`,
      metric: alias.metricDuration({ statistic: 'p99', period: oneMinute }),
      threshold: slowMilliseconds,
      periods: 3,
      isPercentile: true,
    })
    if (!throwingIsFault) {
      this.ofRelease = [latency]
      return
    }
    const errors = add({
      runbook: 'function-errors',
      means: `${name} crashed, or ran out of time or memory, 3 times in a minute.`,
      metric: alias.metricErrors({ period: oneMinute }),
      threshold: 3,
    })
    this.ofRelease = [errors, latency]
  }
}
