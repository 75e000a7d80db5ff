import { MathExpression, Metric } from 'aws-cdk-lib/aws-cloudwatch'
import type { Table } from 'aws-cdk-lib/aws-dynamodb'
import { Construct } from 'constructs'
import { type AlarmScope, fiveMinutes, ServiceAlarm } from './service-alarm.ts'

/** What the service and the administration of keys do to tables. */
const operations = ['GetItem', 'PutItem', 'UpdateItem', 'Query'] as const

/** Not by the table's own metrics for operations: those of two tables do not fit into one graph. */
const sumOfOperations = (table: Table, name: string, metricName: string): MathExpression => {
  const ids = operations.map((operation) => `${name.replace('-', '')}${operation}`)
  return new MathExpression({
    label: name,
    // DynamoDB writes these only where it refused something; `+` would want a value of each.
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

/** Requests that DynamoDB refused because a partition got too many, or an index too many writes. */
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
      means: `DynamoDB throttled 10 or more requests to the table ${name} in 5 minutes.`,
      metric: throttledRequests(table, name),
      threshold: 10,
    })
    new ServiceAlarm(this, 'SystemErrors', {
      ...props,
      subject: name,
      runbook: 'table-errors',
      means: `DynamoDB itself failed on 5 or more requests to the table ${name} in 5 minutes.`,
      metric: sumOfOperations(table, name, 'SystemErrors'),
      threshold: 5,
    })
  }
}
