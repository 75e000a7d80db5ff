import { Duration } from 'aws-cdk-lib'
import { type Alarm, AlarmStatusWidget, Dashboard, GraphWidget, LogQueryWidget } from 'aws-cdk-lib/aws-cloudwatch'
import type { IFunction } from 'aws-cdk-lib/aws-lambda'
import type { ILogGroup } from 'aws-cdk-lib/aws-logs'
import { Construct } from 'constructs'
import type { ServiceTables } from '../functions/table-access.ts'
import { apiMetric } from './request-metrics.ts'
import { accessLogQueries } from './saved-queries.ts'

export interface ServiceDashboardProps {
  readonly name: string
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
    const { name, apiName, accessLog, functions, alarms } = props
    const tables = Object.values(props.tables)
    const api = (metric: string, statistic: string, label = statistic) =>
      apiMetric(apiName, metric, statistic).with({ label })
    const graph = (title: string, left: ReturnType<typeof api>[]) => new GraphWidget({ title, left, width: 8 })
    const query = (title: string, name: keyof typeof accessLogQueries) => {
      const [logGroupNames, queryLines] = [[accessLog.logGroupName], [...accessLogQueries[name]]]
      return new LogQueryWidget({ title, logGroupNames, queryLines, width: 12 })
    }
    const dashboard = new Dashboard(this, 'Resource', { dashboardName: name, defaultInterval: Duration.hours(12) })
    dashboard.addWidgets(new AlarmStatusWidget({ title: 'Alarms', width: 24, alarms: [...alarms] }))
    dashboard.addWidgets(
      graph('Requests', [api('Count', 'SampleCount', 'requests')]),
      graph('Errors; 5xx has the 501 of reserved operations', [
        api('4XXError', 'Sum', '4xx'),
        api('5XXError', 'Sum', '5xx'),
      ]),
      graph('Latency, ms', [api('Latency', 'p50'), api('Latency', 'p95'), api('Latency', 'p99')]),
    )
    dashboard.addWidgets(
      query('Requests by route and status', 'requests-by-status'),
      query('Who is limited', 'who-is-limited'),
    )
    dashboard.addWidgets(
      graph(
        'Errors of functions; of the authorizer, also refused keys',
        functions.map((one) => one.metricErrors()),
      ),
      graph(
        'Throttled runs of functions',
        functions.map((one) => one.metricThrottles()),
      ),
      graph(
        '99th percentile of runs, ms',
        functions.map((one) => one.metricDuration({ statistic: 'p99' })),
      ),
    )
    dashboard.addWidgets(
      graph(
        'Units read of tables',
        tables.map((table) => table.metricConsumedReadCapacityUnits()),
      ),
      graph(
        'Units written to tables',
        tables.map((table) => table.metricConsumedWriteCapacityUnits()),
      ),
      graph(
        'Throttled reads and writes of tables',
        tables.flatMap((table) =>
          ['ReadThrottleEvents', 'WriteThrottleEvents'].map((name) => table.metric(name, { statistic: 'Sum' })),
        ),
      ),
    )
  }
}
