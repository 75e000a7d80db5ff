import { Metric } from 'aws-cdk-lib/aws-cloudwatch'
import { Construct } from 'constructs'
import type { EnvironmentConfig } from '../../environments.ts'
import { firewallRule } from '../api/web-firewall.ts'
import { apiMetric, type RequestMetric, requestMetric } from './request-metrics.ts'
import { type AlarmScope, fiveMinutes, percentile95, ServiceAlarm } from './service-alarm.ts'

export interface TrafficAlarmsProps extends AlarmScope {
  readonly apiName: string
  readonly firewall: EnvironmentConfig['firewall']
}

/** Watches for unusual traffic and for high latency, neither of which rolls a release back. */
export class TrafficAlarms extends Construct {
  constructor(scope: Construct, id: string, props: TrafficAlarmsProps) {
    super(scope, id)
    const { environment, apiName, firewall } = props
    new ServiceAlarm(this, 'Latency', {
      ...props,
      runbook: 'latency',
      means: 'The slowest 5% of requests took at least 2 s, for 15 minutes.',
      metric: percentile95(apiMetric(apiName, 'Latency', 'p95')),
      threshold: 2_000,
      periods: 3,
    })
    const addUnusual = (runbook: string, name: RequestMetric, threshold: number, means: string) =>
      new ServiceAlarm(this, name, {
        ...props,
        runbook,
        means: `At least ${threshold} requests in 5 minutes ${means}.`,
        metric: requestMetric(environment, name),
        threshold,
      })
    addUnusual('unauthorized', 'Unauthorized', 500, 'had no valid API key')
    addUnusual('limited', 'Limited', 2_000, 'were over a limit')
    addUnusual('banned', 'Banned', 1_000, 'had a banned API key')
    if (firewall === undefined) return
    new ServiceAlarm(this, 'Blocked', {
      ...props,
      runbook: 'blocked',
      means: `The firewall blocked an IP address that sent more than ${firewall.requestsPerAddress} requests in 5 minutes.`,
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
