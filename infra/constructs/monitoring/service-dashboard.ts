import { Aws, Duration } from 'aws-cdk-lib'
import { AlarmStatusWidget, Dashboard, GraphWidget, type IAlarm, type IMetric } from 'aws-cdk-lib/aws-cloudwatch'
import type { IFunction } from 'aws-cdk-lib/aws-lambda'
import type { Construct } from 'constructs'
import type { ServiceTables } from '../functions/table-access.ts'
import { apiMetric, type Watched } from './service-alarms.ts'

export interface ServiceDashboardProps extends Watched {
  readonly functions: readonly IFunction[]
  readonly tables: ServiceTables
  readonly alarms: readonly IAlarm[]
}

const operations = ['GetItem', 'PutItem', 'Query', 'Scan', 'UpdateItem'] as const

/** What the runbook looks at: metrics that AWS writes for nothing. */
export class ServiceDashboard extends Dashboard {
  constructor(
    scope: Construct,
    id: string,
    { environment, apiName, functions, tables, alarms }: ServiceDashboardProps,
  ) {
    super(scope, id, {
      // Unique in an account, over all Regions.
      dashboardName: `pet-adoption-${environment}-${Aws.REGION}`,
      defaultInterval: Duration.hours(12),
    })
    const ofApi = (metric: string, ...statistics: readonly string[]) =>
      statistics.map((statistic) => apiMetric(apiName, metric, statistic))
    const ofFunctions = (metric: string, statistic: string) => functions.map((one) => one.metric(metric, { statistic }))
    const ofTables = (metric: string, statistic: string) =>
      Object.values(tables).flatMap((table) =>
        operations.map((Operation) =>
          table.metric(metric, { statistic, dimensionsMap: { TableName: table.tableName, Operation } }),
        ),
      )
    const graphs: Readonly<Record<string, IMetric[]>> = {
      Requests: ofApi('Count', 'SampleCount'),
      'Errors; 5xx has the 501 of reserved operations': [...ofApi('4XXError', 'Sum'), ...ofApi('5XXError', 'Sum')],
      'Latency, ms': ofApi('Latency', 'p50', 'p95', 'p99'),
      'Errors of functions, with refused keys': ofFunctions('Errors', 'Sum'),
      'Throttles of functions': ofFunctions('Throttles', 'Sum'),
      'Duration of functions, 99th percentile, ms': ofFunctions('Duration', 'p99'),
      'ConcurrentExecutions of functions': ofFunctions('ConcurrentExecutions', 'Maximum'),
      'ThrottledRequests to tables': ofTables('ThrottledRequests', 'Sum'),
      'SystemErrors of tables': ofTables('SystemErrors', 'Sum'),
      'SuccessfulRequestLatency of tables, ms': ofTables('SuccessfulRequestLatency', 'Average'),
    }
    // Three graphs fill a row, and the next begins by itself.
    this.addWidgets(
      new AlarmStatusWidget({ title: 'Alarms', width: 24, alarms: [...alarms] }),
      ...Object.entries(graphs).map(([title, left]) => new GraphWidget({ title, left, width: 8 })),
    )
  }
}
