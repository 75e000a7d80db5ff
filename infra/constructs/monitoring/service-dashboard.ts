import { Aws, Duration } from 'aws-cdk-lib'
import { AlarmStatusWidget, Dashboard, GraphWidget, type IAlarm, type IMetric } from 'aws-cdk-lib/aws-cloudwatch'
import type { IFunction } from 'aws-cdk-lib/aws-lambda'
import type { Construct } from 'constructs'
import type { ServiceTables } from '../functions/table-access.ts'
import { createApiMetric, type MonitoringProps } from './service-alarms.ts'

interface ServiceDashboardProps extends MonitoringProps {
  readonly functions: readonly IFunction[]
  readonly tables: ServiceTables
  readonly alarms: readonly IAlarm[]
}

/** Calls to tables. CloudWatch names them in the dimension `Operation`. */
const tableCalls = ['GetItem', 'PutItem', 'Query', 'Scan', 'TransactWriteItems', 'UpdateItem'] as const

/** The dashboard that the runbook uses: the alarms, and metrics that AWS writes free of charge. */
export class ServiceDashboard extends Dashboard {
  constructor(scope: Construct, id: string, props: ServiceDashboardProps) {
    super(scope, id, {
      // Dashboard names are unique in an account, over all Regions.
      dashboardName: `pet-adoption-${props.environment}-${Aws.REGION}`,
      defaultInterval: Duration.hours(12),
    })
    // CloudWatch refuses a widget without an alarm.
    if (props.alarms.length > 0) {
      this.addWidgets(new AlarmStatusWidget({ title: 'Alarms', width: 24, alarms: [...props.alarms] }))
    }
    // A row is 24 columns wide, so three graphs fill one.
    const graphs = Object.entries(createGraphMetrics(props)).map(
      ([title, metrics]) => new GraphWidget({ title, left: metrics, width: 8 }),
    )
    this.addWidgets(...graphs)
  }
}

/** Creates the metrics of each graph, by the title of the graph. */
const createGraphMetrics = ({
  apiName,
  functions,
  tables,
}: ServiceDashboardProps): Readonly<Record<string, IMetric[]>> => {
  const listFunctionMetrics = (metric: string, statistic: string): IMetric[] =>
    functions.map((lambda) => lambda.metric(metric, { statistic }))

  const listTableMetrics = (metric: string, statistic: string): IMetric[] =>
    Object.values(tables).flatMap((table) =>
      tableCalls.map((call) => {
        const dimensionsMap = { TableName: table.tableName, Operation: call }
        return table.metric(metric, { statistic, dimensionsMap })
      }),
    )

  return {
    Requests: [createApiMetric(apiName, 'Count', 'SampleCount')],
    'Errors (5xx includes the 501 of reserved operations)': [
      createApiMetric(apiName, '4XXError', 'Sum'),
      createApiMetric(apiName, '5XXError', 'Sum'),
    ],
    'Latency, ms': [
      createApiMetric(apiName, 'Latency', 'p50'),
      createApiMetric(apiName, 'Latency', 'p95'),
      createApiMetric(apiName, 'Latency', 'p99'),
    ],
    'Errors of functions': listFunctionMetrics('Errors', 'Sum'),
    'Throttles of functions': listFunctionMetrics('Throttles', 'Sum'),
    'Duration of functions, 99th percentile, ms': listFunctionMetrics('Duration', 'p99'),
    'ConcurrentExecutions of functions': listFunctionMetrics('ConcurrentExecutions', 'Maximum'),
    'ThrottledRequests to tables': listTableMetrics('ThrottledRequests', 'Sum'),
    'SystemErrors of tables': listTableMetrics('SystemErrors', 'Sum'),
    'SuccessfulRequestLatency of tables, ms': listTableMetrics('SuccessfulRequestLatency', 'Average'),
  }
}
