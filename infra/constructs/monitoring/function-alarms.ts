import type { Alias } from 'aws-cdk-lib/aws-lambda'
import { Construct } from 'constructs'
import {
  type AlarmScope,
  fiveMinutes,
  oneMinute,
  percentile95,
  ServiceAlarm,
  type ServiceAlarmProps,
} from './service-alarm.ts'

export interface FunctionAlarmsProps extends AlarmScope {
  readonly name: string
  readonly alias: Alias
}

/** Watches one function at the alias that receives requests. */
export class FunctionAlarms extends Construct {
  /** The alarms that roll a release back. */
  readonly ofRelease: readonly ServiceAlarm[]

  constructor(scope: Construct, id: string, props: FunctionAlarmsProps) {
    super(scope, id)
    const { name, alias } = props
    const isAuthorizer = name === 'authorizer'
    // Every request waits for the authorizer.
    const slowMilliseconds = isAuthorizer ? 1_000 : 3_000
    const add = (alarm: Pick<ServiceAlarmProps, 'runbook' | 'means' | 'metric' | 'threshold' | 'periods'>) =>
      new ServiceAlarm(this, alarm.runbook, { ...props, ...alarm, subject: name })

    add({
      runbook: 'function-throttles',
      means: `Lambda throttled ${name}: no concurrency was left.`,
      metric: alias.metricThrottles({ period: fiveMinutes }),
      threshold: 1,
    })
    const latency = add({
      runbook: 'function-latency',
      means: `The slowest 5% of the runs of ${name} took at least ${slowMilliseconds} ms, for 3 minutes.`,
      metric: percentile95(alias.metricDuration({ period: oneMinute })),
      threshold: slowMilliseconds,
      periods: 3,
    })
    this.ofRelease = [latency]
    // The authorizer refuses an invalid key by throwing, which Lambda counts as an error. `ApiAlarms` counts its failures.
    if (isAuthorizer) return
    const errors = add({
      runbook: 'function-errors',
      means: `At least 3 runs of ${name} in a minute crashed, or exceeded their time or memory.`,
      metric: alias.metricErrors({ period: oneMinute }),
      threshold: 3,
    })
    this.ofRelease = [errors, latency]
  }
}
