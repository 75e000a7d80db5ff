import { Aws, Duration } from 'aws-cdk-lib'
import {
  type Alarm,
  AlarmStatusWidget,
  Dashboard,
  GraphWidget,
  type IMetric,
  LogQueryWidget,
} from 'aws-cdk-lib/aws-cloudwatch'
import type { IFunction } from 'aws-cdk-lib/aws-lambda'
import type { ILogGroup } from 'aws-cdk-lib/aws-logs'
import { Construct } from 'constructs'
import type { EnvironmentName } from '../../environments.ts'
import type { ServiceTables } from '../functions/table-access.ts'
import { apiMetric } from './request-metrics.ts'
import { accessLogQueries } from './saved-queries.ts'

export interface ServiceDashboardProps {
  readonly environment: EnvironmentName
  readonly apiName: string
  readonly accessLog: ILogGroup
  readonly functions: readonly IFunction[]
  readonly tables: ServiceTables
  readonly alarms: readonly Alarm[]
}

/** The metrics that AWS writes for nothing, and queries that read the access log when the dashboard is opened. */
export class ServiceDashboard extends Construct {
  constructor(scope: Construct, id: string, props: ServiceDashboardProps) {
    super(scope, id)
    const { environment, apiName, accessLog, functions, alarms } = props
    const tables = Object.values(props.tables)
    const api = (metric: string, statistic: string) => apiMetric(apiName, metric, statistic)
    const graph = (title: string, left: IMetric[]) => new GraphWidget({ title, left, width: 8 })
    const query = (title: string, name: keyof typeof accessLogQueries) =>
      new LogQueryWidget({
        title,
        logGroupNames: [accessLog.logGroupName],
        queryLines: [...accessLogQueries[name]],
        width: 12,
      })
    const ofTables = (...names: string[]) =>
      tables.flatMap((table) => names.map((name) => table.metric(name, { statistic: 'Sum' })))
    new Dashboard(this, 'Resource', {
      // Unique in an account, over all Regions.
      dashboardName: `pet-adoption-${environment}-${Aws.REGION}`,
      defaultInterval: Duration.hours(12),
      widgets: [
        [new AlarmStatusWidget({ title: 'Alarms', width: 24, alarms: [...alarms] })],
        [
          graph('Requests', [api('Count', 'SampleCount')]),
          graph('Errors; 5xx has the 501 of reserved operations', [api('4XXError', 'Sum'), api('5XXError', 'Sum')]),
          graph('Latency, ms', [api('Latency', 'p50'), api('Latency', 'p95'), api('Latency', 'p99')]),
        ],
        [query('Requests by route and status', 'requests-by-status'), query('Who is limited', 'who-is-limited')],
        [
          graph(
            'Errors of functions, with refused keys',
            functions.map((one) => one.metricErrors()),
          ),
          graph(
            'Throttled runs of functions',
            functions.map((one) => one.metricThrottles()),
          ),
          graph(
            'Runs, 99th percentile, ms',
            functions.map((one) => one.metricDuration({ statistic: 'p99' })),
          ),
        ],
        [
          graph('Units read of tables', ofTables('ConsumedReadCapacityUnits')),
          graph('Units written to tables', ofTables('ConsumedWriteCapacityUnits')),
          graph('Throttled requests to tables', ofTables('ReadThrottleEvents', 'WriteThrottleEvents')),
        ],
      ],
    })
  }
}
