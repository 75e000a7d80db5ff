import { MathExpression, Metric } from 'aws-cdk-lib/aws-cloudwatch'
import type { Table } from 'aws-cdk-lib/aws-dynamodb'
import { Construct } from 'constructs'
import { type AlarmScope, fiveMinutes, ServiceAlarm } from './service-alarm.ts'

/** The operations that the service and the key commands use. */
const operations = ['GetItem', 'PutItem', 'UpdateItem', 'Query'] as const

/** CDK's own metric of a table's operations cannot share a graph with that of another table. */
const sumOfOperations = (table: Table, name: string, metricName: string): MathExpression => {
  const ids = operations.map((operation) => `${name.replace('-', '')}${operation}`)
  return new MathExpression({
    label: name,
    // An operation without throttling or errors has no data: `+` would need a value of each, `SUM` does not.
    expression: `SUM([${ids.join(', ')}])`,
    usingMetrics: Object.fromEntries(
      operations.map((Operation, index) => [
        ids[index] ?? Operation,
        new Metric({
          namespace: 'AWS/DynamoDB',
          metricName,
          dimensionsMap: { TableName: table.tableName, Operation },
          statistic: 'Sum',
          period: fiveMinutes,
        }),
      ]),
    ),
    period: fiveMinutes,
  })
}

/** Requests above what a partition, or an index, can take. */
export const throttledRequests = (table: Table, name: string): MathExpression =>
  sumOfOperations(table, name, 'ThrottledRequests')

export const consumedUnits = (table: Table, label: string, kind: 'Read' | 'Write'): Metric =>
  new Metric({
    namespace: 'AWS/DynamoDB',
    metricName: `Consumed${kind}CapacityUnits`,
    dimensionsMap: { TableName: table.tableName },
    label,
    statistic: 'Sum',
    period: fiveMinutes,
  })

export interface TableAlarmsProps extends AlarmScope {
  readonly name: string
  readonly table: Table
}

/** Watches one table. */
export class TableAlarms extends Construct {
  constructor(scope: Construct, id: string, props: TableAlarmsProps) {
    super(scope, id)
    const { name, table } = props
    new ServiceAlarm(this, 'Throttles', {
      ...props,
      subject: name,
      runbook: 'table-throttles',
      means: `DynamoDB throttled at least 10 requests to the table ${name} in 5 minutes.`,
      metric: throttledRequests(table, name),
      threshold: 10,
    })
    new ServiceAlarm(this, 'SystemErrors', {
      ...props,
      subject: name,
      runbook: 'table-errors',
      means: `At least 5 requests to the table ${name} in 5 minutes failed with an error of DynamoDB.`,
      metric: sumOfOperations(table, name, 'SystemErrors'),
      threshold: 5,
    })
  }
}
