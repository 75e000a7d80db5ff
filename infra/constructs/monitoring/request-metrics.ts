import { Duration } from 'aws-cdk-lib'
import { Metric } from 'aws-cdk-lib/aws-cloudwatch'
import { FilterPattern, type ILogGroup, type JsonPattern } from 'aws-cdk-lib/aws-logs'
import { stageName } from '../../contract/contract.ts'
import { logField } from '../api/access-log.ts'

const { all, any, stringValue } = FilterPattern

const status = (is: '=' | '!=', text: string): JsonPattern => stringValue(logField('status'), is, text)
const responseType = (type: string): JsonPattern => stringValue(logField('responseType'), '=', type)

/**
 * What alarms count in the access log, each at the price of a metric: API Gateway's `5XXError` has the reserved
 * operation's 501 as well, and its `4XXError` also gateway responses whose status was changed ("Amazon API Gateway
 * dimensions and metrics").
 */
const counted = {
  /** Errors of the service. */
  Failed: all(status('=', '5*'), status('!=', '501')),
  /** The requests on which the authorizer failed to decide. Each of them is `Failed` too. */
  AuthorizerFailures: any(responseType('AUTHORIZER_FAILURE'), responseType('AUTHORIZER_CONFIGURATION_ERROR')),
} as const satisfies Record<string, JsonPattern>

/** Adds a metric in the namespace `PetAdoption/<name of the API>`. */
export const countRequests = (log: ILogGroup, apiName: string, metricName: keyof typeof counted): Metric =>
  log
    .addMetricFilter(metricName, {
      metricNamespace: `PetAdoption/${apiName}`,
      metricName,
      metricValue: '1',
      defaultValue: 0,
      filterPattern: counted[metricName],
    })
    .metric({ statistic: 'Sum' })

/**
 * A metric of API Gateway. It has the names of API and stage rather than references: an alarm that rolls functions back
 * would wait for the stage, and the stage for the functions.
 */
export const apiMetric = (apiName: string, metricName: string, statistic: string): Metric =>
  new Metric({
    namespace: 'AWS/ApiGateway',
    metricName,
    dimensionsMap: { ApiName: apiName, Stage: stageName },
    label: statistic,
    statistic,
    period: Duration.minutes(5),
  })
