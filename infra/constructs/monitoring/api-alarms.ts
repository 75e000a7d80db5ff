import { MathExpression } from 'aws-cdk-lib/aws-cloudwatch'
import { Construct } from 'constructs'
import { apiMetric } from './api-metric.ts'
import { requestMetric } from './request-metrics.ts'
import { type AlarmScope, oneMinute, ServiceAlarm } from './service-alarm.ts'

/** Tell that the API itself fails: what callers get, whichever function it comes from. */
export class ApiAlarms extends Construct {
  readonly serverErrors: ServiceAlarm
  readonly authorizerFailures: ServiceAlarm

  constructor(scope: Construct, id: string, props: AlarmScope & { readonly apiName: string }) {
    super(scope, id)
    const { environment, apiName } = props
    this.serverErrors = new ServiceAlarm(this, 'ServerErrors', {
      ...props,
      runbook: 'server-errors',
      means: 'Callers got 5 or more 5xx answers a minute, one in a hundred or more, for 2 minutes.',
      // From the access log: API Gateway's own 5XXError also counts 501, the reserved operation's answer.
      metric: new MathExpression({
        label: 'failed requests in a hundred',
        expression: 'IF(failed >= 5, 100 * failed / requests, 0)',
        usingMetrics: {
          failed: requestMetric(environment, 'Failed'),
          requests: apiMetric(apiName, 'Count', 'SampleCount'),
        },
        period: oneMinute,
      }),
      threshold: 1,
      periods: 2,
    })
    this.authorizerFailures = new ServiceAlarm(this, 'AuthorizerFailures', {
      ...props,
      runbook: 'authorizer-failures',
      means: 'The authorizer failed to decide on 3 or more requests in a minute; each was answered 503.',
      metric: requestMetric(environment, 'AuthorizerFailures'),
      threshold: 3,
    })
  }
}
