import { GraphWidget, type IMetric, MathExpression, SearchExpression, Stats } from 'aws-cdk-lib/aws-cloudwatch'
import { planNames } from '../../../shared/api-keys/plans.ts'
import type { ContractOperation } from '../../contract/contract.ts'
import type { EnvironmentConfig, EnvironmentName } from '../../environments.ts'
import type { ServiceTables } from '../functions/table-access.ts'
import { apiMetric } from './api-metric.ts'
import { operationMetric } from './operation-metrics.ts'
import { type Outcome, outcomeNames, requestMetric } from './request-metrics.ts'
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
 * A metric of every function of the API, by the beginning of its name. Not by reference: a function
 * that another stack refers to cannot be removed from its own.
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
    planNames.map((plan) => requestMetric(environment, 'Requests', plan).with({ period: fiveMinutes, label: plan })),
  ),
  graph(
    'Requests by outcome',
    outcomeNames.map((outcome) => requestMetric(environment, outcome).with({ period: fiveMinutes })),
    [apiMetric(apiName, 'Count', 'SampleCount').with({ period: fiveMinutes, label: 'all' })],
  ),
]

export const healthRow = ({ environment, apiName }: DashboardProps): readonly GraphWidget[] => [
  graph(
    'Failures',
    [
      requestMetric(environment, 'Failed').with({ period: fiveMinutes, label: 'answered 5xx' }),
      requestMetric(environment, 'AuthorizerFailures').with({ period: fiveMinutes, label: 'of the authorizer' }),
      requestMetric(environment, 'Rejected').with({ period: fiveMinutes, label: 'rejected (4xx)' }),
    ],
    [ofFunctions(apiName, 'Throttles', 'Sum', 'throttled')],
  ),
  graph(
    'Latency of the API, ms',
    ['p50', 'p90', 'p99'].map((statistic) =>
      apiMetric(apiName, 'Latency', statistic).with({ period: fiveMinutes, label: statistic }),
    ),
  ),
  graph('Slowest of a hundred runs of each function, ms', [ofFunctions(apiName, 'Duration', Stats.percentile(99), '')]),
]

export const limitsRow = ({ environment }: DashboardProps): readonly GraphWidget[] => {
  const byPlan = (outcome: Outcome) =>
    planNames.map((plan) => requestMetric(environment, outcome, plan).with({ period: fiveMinutes, label: plan }))
  return [
    graph('Over their limits, by plan', byPlan('Limited')),
    graph('With banned keys, by plan', byPlan('Banned')),
    graph('Without a valid key', [requestMetric(environment, 'Unauthorized').with({ period: fiveMinutes })]),
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

/** What the bill grows with. */
export const costRow = ({ apiName, config }: DashboardProps): readonly GraphWidget[] => {
  const gigabytes = config.functions.memoryMegabytes / 1_024
  return [
    graph('Requests, paid for at API Gateway', [
      apiMetric(apiName, 'Count', 'SampleCount').with({ period: fiveMinutes, label: 'requests' }),
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
