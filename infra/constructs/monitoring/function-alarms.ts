import type { Alias } from 'aws-cdk-lib/aws-lambda'
import { Construct } from 'constructs'
import {
  type AlarmScope,
  fiveMinutes,
  oneMinute,
  ServiceAlarm,
  type ServiceAlarmProps,
  slowestTwentieth,
} from './service-alarm.ts'

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
    const add = (alarm: Pick<ServiceAlarmProps, 'runbook' | 'means' | 'metric' | 'threshold' | 'periods'>) =>
      new ServiceAlarm(this, alarm.runbook, { ...props, ...alarm, subject: name })

    add({
      runbook: 'function-throttles',
      means: `Lambda refused to run ${name} for want of concurrency.`,
      metric: alias.metricThrottles({ period: fiveMinutes }),
      threshold: 1,
    })
    const latency = add({
      runbook: 'function-latency',
      means: `One in twenty runs of ${name} took ${slowMilliseconds} ms or more, for 3 minutes.`,
      metric: slowestTwentieth(alias.metricDuration({ period: oneMinute })),
      threshold: slowMilliseconds,
      periods: 3,
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
