import { Duration } from 'aws-cdk-lib'
import {
  GraphWidget,
  type IMetric,
  type IWidget,
  LogQueryWidget,
  MathExpression,
  SearchExpression,
} from 'aws-cdk-lib/aws-cloudwatch'
import type { EnvironmentConfig } from '../../environments.ts'
import { apiMetric } from './request-metrics.ts'
import { accessLogQueries } from './saved-queries.ts'

export interface DashboardProps {
  readonly config: EnvironmentConfig
  /** The beginning of the names of functions and their log groups. */
  readonly apiName: string
  /** The beginning of the names of tables. */
  readonly dataName: string
  readonly accessLogName: string
}

const period = Duration.minutes(5)

const graph = (title: string, left: readonly IMetric[], right: readonly IMetric[] = []): GraphWidget =>
  new GraphWidget({ title, left: [...left], right: [...right], width: 8, height: 6, period })

/**
 * A metric of all resources whose names have the beginning, found when the dashboard is shown: a function to which
 * another stack refers could not be removed.
 */
const search = (schema: string, name: string, beginning: string, statistic: string): SearchExpression => {
  const [, dimension = ''] = schema.split(',')
  const expression = `SEARCH('{${schema}} MetricName="${name}" ${dimension}=${beginning}', '${statistic}', ${period.toSeconds()})`
  return new SearchExpression({ expression, label: '', period })
}

/** The metrics that AWS writes for nothing, and what tells causes: the queries that read the access log when shown. */
export const dashboardRows = ({ config, apiName, dataName, accessLogName }: DashboardProps): readonly IWidget[][] => {
  const api = (name: string, statistic: string, label: string) => apiMetric(apiName, name, statistic).with({ label })
  const ofFunctions = (name: string, statistic: string) => search('AWS/Lambda,FunctionName', name, apiName, statistic)
  const ofTables = (name: string) => search('AWS/DynamoDB,TableName', name, dataName, 'Sum')
  const ofTableOperations = (name: string, statistic: string) =>
    search('AWS/DynamoDB,TableName,Operation', name, dataName, statistic)
  const query = (title: string, name: keyof typeof accessLogQueries) =>
    new LogQueryWidget({
      title,
      logGroupNames: [accessLogName],
      queryLines: [...accessLogQueries[name]],
      width: 12,
      height: 6,
    })
  const gigabytes = config.functions.memoryMegabytes / 1_024
  return [
    [
      graph('Requests', [api('Count', 'SampleCount', 'requests')]),
      graph('Errors', [
        api('4XXError', 'Sum', '4xx'),
        api('5XXError', 'Sum', '5xx, with the 501 of the reserved operation'),
      ]),
      graph(
        'Latency of the API, ms',
        ['p50', 'p90', 'p99'].map((statistic) => api('Latency', statistic, statistic)),
      ),
    ],
    [query('Requests by route and status', 'requests-by-status'), query('Failures by route', 'failures-by-route')],
    [query('Requests by key', 'requests-by-key'), query('Refused for a limit', 'who-is-limited')],
    [
      graph('99th percentile of the runs of each function, ms', [ofFunctions('Duration', 'p99')]),
      graph('Errors of functions; of the authorizer, also invalid keys', [ofFunctions('Errors', 'Sum')]),
      graph(
        'Throttled runs of functions',
        [ofFunctions('Throttles', 'Sum')],
        [ofFunctions('ConcurrentExecutions', 'Maximum')],
      ),
    ],
    [
      graph('Throttled requests to tables', [ofTableOperations('ThrottledRequests', 'Sum')]),
      graph('Errors of DynamoDB', [ofTableOperations('SystemErrors', 'Sum')]),
      graph('99th percentile of requests to tables, ms', [ofTableOperations('SuccessfulRequestLatency', 'p99')]),
    ],
    [
      graph(
        'Units of tables: read, and written (right)',
        [ofTables('ConsumedReadCapacityUnits')],
        [ofTables('ConsumedWriteCapacityUnits')],
      ),
      graph(
        'Runs of functions',
        [ofFunctions('Invocations', 'Sum')],
        [
          new MathExpression({
            label: 'GB-seconds',
            expression: `SUM(${ofFunctions('Duration', 'Sum').expression}) / 1000 * ${gigabytes}`,
            usingMetrics: {},
            period,
          }),
        ],
      ),
      graph('Bytes of logs', [search('AWS/Logs,LogGroupName', 'IncomingBytes', apiName, 'Sum')]),
    ],
  ]
}
