import { Metric, Unit } from 'aws-cdk-lib/aws-cloudwatch'
import { FilterPattern, type ILogGroup } from 'aws-cdk-lib/aws-logs'
import { Construct } from 'constructs'
import type { ContractOperation } from '../../contract/contract.ts'
import type { EnvironmentName } from '../../environments.ts'
import { logField } from '../api/access-log.ts'
import { fiveMinutes } from './service-alarm.ts'

const { all, stringValue } = FilterPattern

const namespaceOf = (environment: EnvironmentName): string => `PetAdoption/${environment}/operations`

/** How many requests an operation got, whatever became of them. */
export const operationMetric = (environment: EnvironmentName, { name }: ContractOperation): Metric =>
  new Metric({
    namespace: namespaceOf(environment),
    metricName: name,
    label: name,
    statistic: 'Sum',
    period: fiveMinutes,
  })

export interface OperationMetricsProps {
  readonly environment: EnvironmentName
  readonly log: ILogGroup
  readonly operations: readonly ContractOperation[]
}

/**
 * Counts the requests of each operation from the access log. A filter for each, rather than one with
 * the route for a dimension: callers choose the method, and each new value would be a metric to pay for.
 */
export class OperationMetrics extends Construct {
  constructor(scope: Construct, id: string, { environment, log, operations }: OperationMetricsProps) {
    super(scope, id)
    for (const { name, method, path } of operations) {
      log.addMetricFilter(`${name}-requests`, {
        metricNamespace: namespaceOf(environment),
        metricName: name,
        metricValue: '1',
        unit: Unit.COUNT,
        filterPattern: all(stringValue(logField('method'), '=', method), stringValue(logField('route'), '=', path)),
      })
    }
  }
}
