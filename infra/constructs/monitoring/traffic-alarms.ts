import { Metric } from 'aws-cdk-lib/aws-cloudwatch'
import { Construct } from 'constructs'
import type { EnvironmentConfig } from '../../environments.ts'
import { firewallRule } from '../api/web-firewall.ts'
import { apiMetric } from './api-metric.ts'
import { type RequestMetric, requestMetric } from './request-metrics.ts'
import { type AlarmScope, fiveMinutes, ServiceAlarm, slowestTwentieth } from './service-alarm.ts'

export interface TrafficAlarmsProps extends AlarmScope {
  readonly apiName: string
  readonly firewall: EnvironmentConfig['firewall']
}

/** Tell of what no release brings about: callers that behave unusually, and an API that grows slow. */
export class TrafficAlarms extends Construct {
  constructor(scope: Construct, id: string, props: TrafficAlarmsProps) {
    super(scope, id)
    const { environment, apiName, firewall } = props
    new ServiceAlarm(this, 'Latency', {
      ...props,
      runbook: 'latency',
      means: 'One in twenty requests took 2 s or more, for 15 minutes.',
      metric: slowestTwentieth(apiMetric(apiName, 'Latency', 'p95').with({ period: fiveMinutes })),
      threshold: 2_000,
      periods: 3,
    })
    const addUnusual = (runbook: string, name: RequestMetric, threshold: number, means: string) =>
      new ServiceAlarm(this, name, {
        ...props,
        runbook,
        means: `${means} in 5 minutes, ${threshold} or more times.`,
        metric: requestMetric(environment, name).with({ period: fiveMinutes }),
        threshold,
      })
    addUnusual('unauthorized', 'Unauthorized', 500, 'Requests came without a valid key')
    addUnusual('limited', 'Limited', 2_000, 'Requests were over their limits')
    addUnusual('banned', 'Banned', 1_000, 'Requests came with banned keys')
    if (firewall === undefined) return
    new ServiceAlarm(this, 'Blocked', {
      ...props,
      runbook: 'blocked',
      means: `The firewall blocked an address that sent more than ${firewall.requestsPerAddress} requests in 5 minutes.`,
      metric: new Metric({
        namespace: 'AWS/WAFV2',
        metricName: 'BlockedRequests',
        dimensionsMap: firewallRule(apiName),
        statistic: 'Sum',
        period: fiveMinutes,
      }),
      threshold: 1,
    })
  }
}
