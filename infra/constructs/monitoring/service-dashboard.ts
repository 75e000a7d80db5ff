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
import type { Construct } from 'constructs'
import type { ServiceTables } from '../functions/table-access.ts'
import { accessLogQueries } from './access-log.ts'
import { apiMetric, type Watched } from './service-alarms.ts'

export interface ServiceDashboardProps extends Watched {
  readonly functions: readonly IFunction[]
  readonly tables: ServiceTables
  readonly alarms: readonly Alarm[]
}

const operations = ['GetItem', 'PutItem', 'Query', 'Scan', 'UpdateItem'] as const

/** What the runbook looks at: metrics that AWS writes for nothing, and queries that run when the dashboard is opened. */
export class ServiceDashboard extends Dashboard {
  constructor(scope: Construct, id: string, props: ServiceDashboardProps) {
    const { environment, apiName, accessLog, functions, tables, alarms } = props
    const graph = (title: string, left: IMetric[]) => new GraphWidget({ title, left, width: 8 })
    const query = (title: string, name: keyof typeof accessLogQueries) => {
      const queryLines = [...accessLogQueries[name]]
      return new LogQueryWidget({ title, logGroupNames: [accessLog.logGroupName], queryLines, width: 12 })
    }
    const ofApi = (metric: string, ...statistics: readonly string[]) =>
      statistics.map((statistic) => apiMetric(apiName, metric, statistic))
    const ofFunctions = (metric: string, statistic: string) => functions.map((one) => one.metric(metric, { statistic }))
    const ofTables = (metric: string, statistic: string) =>
      Object.values(tables).flatMap((table) =>
        operations.map((Operation) =>
          table.metric(metric, { statistic, dimensionsMap: { TableName: table.tableName, Operation } }),
        ),
      )
    super(scope, id, {
      // Unique in an account, over all Regions.
      dashboardName: `pet-adoption-${environment}-${Aws.REGION}`,
      defaultInterval: Duration.hours(12),
      widgets: [
        [new AlarmStatusWidget({ title: 'Alarms', width: 24, alarms: [...alarms] })],
        [
          graph('Requests', ofApi('Count', 'SampleCount')),
          graph('Errors; 5xx has the 501 of reserved operations', [
            ...ofApi('4XXError', 'Sum'),
            ...ofApi('5XXError', 'Sum'),
          ]),
          graph('Latency, ms', ofApi('Latency', 'p50', 'p95', 'p99')),
        ],
        [query('Requests by route and status', 'requests-by-status'), query('Who is limited', 'who-is-limited')],
        [
          graph('Errors of functions, with refused keys', ofFunctions('Errors', 'Sum')),
          graph('Throttles of functions', ofFunctions('Throttles', 'Sum')),
          graph('Duration of functions, 99th percentile, ms', ofFunctions('Duration', 'p99')),
        ],
        [
          graph('ConcurrentExecutions of functions', ofFunctions('ConcurrentExecutions', 'Maximum')),
          graph('ThrottledRequests to tables', ofTables('ThrottledRequests', 'Sum')),
          graph('SystemErrors of tables', ofTables('SystemErrors', 'Sum')),
        ],
        [graph('SuccessfulRequestLatency of tables, ms', ofTables('SuccessfulRequestLatency', 'Average'))],
      ],
    })
  }
}
