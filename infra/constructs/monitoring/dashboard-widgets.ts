import { GraphWidget, type IMetric, MathExpression, SearchExpression, Stats } from 'aws-cdk-lib/aws-cloudwatch'
import { planNames } from '../../../shared/api-keys/plans.ts'
import type { ContractOperation } from '../../contract/contract.ts'
import type { EnvironmentConfig, EnvironmentName } from '../../environments.ts'
import type { ServiceTables } from '../functions/table-access.ts'
import { apiMetric, type Outcome, operationMetric, outcomeNames, requestMetric } from './request-metrics.ts'
import { fiveMinutes } from './service-alarm.ts'
import { consumedUnits, throttledRequests } from './table-alarms.ts'

export interface DashboardProps {
  readonly environment: EnvironmentName
  readonly config: EnvironmentConfig
  readonly apiName: string
  readonly operations: readonly ContractOperation[]
  readonly tables: ServiceTables
}

const graph = (title: string, left: readonly IMetric[], right: readonly IMetric[] = []): GraphWidget =>
  new GraphWidget({ title, left: [...left], right: [...right], width: 8, height: 6, period: fiveMinutes })

/**
 * A metric of all functions of the API, found by the beginning of their names: a function to which another stack refers
 * could not be removed.
 */
const ofFunctions = (apiName: string, metricName: string, statistic: string, label: string): SearchExpression =>
  new SearchExpression({
    expression: `SEARCH('{AWS/Lambda,FunctionName} MetricName="${metricName}" FunctionName=${apiName}', '${statistic}', 300)`,
    label,
    period: fiveMinutes,
  })

export const trafficRow = ({ environment, operations, apiName }: DashboardProps): readonly GraphWidget[] => [
  graph(
    'Requests by operation',
    operations.map((operation) => operationMetric(environment, operation)),
  ),
  graph(
    'Requests by plan',
    planNames.map((plan) => requestMetric(environment, 'Requests', plan)),
  ),
  graph(
    'Requests by outcome',
    outcomeNames.map((outcome) => requestMetric(environment, outcome)),
    [apiMetric(apiName, 'Count', 'SampleCount').with({ label: 'all' })],
  ),
]

export const healthRow = ({ environment, apiName }: DashboardProps): readonly GraphWidget[] => [
  graph(
    'Failures',
    [
      requestMetric(environment, 'Failed').with({ label: 'responses 5xx' }),
      requestMetric(environment, 'AuthorizerFailures').with({ label: 'of the authorizer' }),
      requestMetric(environment, 'Rejected').with({ label: 'rejected (4xx)' }),
    ],
    [ofFunctions(apiName, 'Throttles', 'Sum', 'throttled')],
  ),
  graph(
    'Latency of the API, ms',
    ['p50', 'p90', 'p99'].map((statistic) => apiMetric(apiName, 'Latency', statistic)),
  ),
  graph('99th percentile of the runs of each function, ms', [
    ofFunctions(apiName, 'Duration', Stats.percentile(99), ''),
  ]),
]

export const limitsRow = ({ environment }: DashboardProps): readonly GraphWidget[] => {
  const byPlan = (outcome: Outcome) => planNames.map((plan) => requestMetric(environment, outcome, plan))
  return [
    graph('Requests over a limit, by plan', byPlan('Limited')),
    graph('Requests with a banned key, by plan', byPlan('Banned')),
    graph('Requests without a valid key', [requestMetric(environment, 'Unauthorized')]),
  ]
}

export const tablesRow = ({ tables }: DashboardProps): readonly GraphWidget[] => {
  const all = Object.entries({ pets: tables.pets, 'api-keys': tables.apiKeys, idempotency: tables.idempotency })
  return [
    graph(
      'Read units of tables',
      all.map(([name, table]) => consumedUnits(table, name, 'Read')),
    ),
    graph(
      'Write units of tables',
      all.map(([name, table]) => consumedUnits(table, name, 'Write')),
    ),
    graph(
      'Throttled requests to tables',
      all.map(([name, table]) => throttledRequests(table, name)),
    ),
  ]
}

/** The usage that the service pays for. */
export const costRow = ({ apiName, config }: DashboardProps): readonly GraphWidget[] => {
  const gigabytes = config.functions.memoryMegabytes / 1_024
  return [
    graph('Requests that API Gateway charges', [
      apiMetric(apiName, 'Count', 'SampleCount').with({ label: 'requests' }),
    ]),
    graph(
      'Runs of functions',
      [ofFunctions(apiName, 'Invocations', 'Sum', '')],
      [
        new MathExpression({
          label: 'GB-seconds',
          expression: `SUM(${ofFunctions(apiName, 'Duration', 'Sum', '').expression}) / 1000 * ${gigabytes}`,
          usingMetrics: {},
          period: fiveMinutes,
        }),
      ],
    ),
    graph('Bytes of logs', [
      new SearchExpression({
        expression: `SEARCH('{AWS/Logs,LogGroupName} MetricName="IncomingBytes" LogGroupName=${apiName}', 'Sum', 300)`,
        label: '',
        period: fiveMinutes,
      }),
    ]),
  ]
}
