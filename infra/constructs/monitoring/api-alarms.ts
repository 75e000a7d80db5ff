import { MathExpression } from 'aws-cdk-lib/aws-cloudwatch'
import { Construct } from 'constructs'
import { apiMetric, requestMetric } from './request-metrics.ts'
import { type AlarmScope, oneMinute, ServiceAlarm } from './service-alarm.ts'

/** Watches what callers get from all functions together. */
export class ApiAlarms extends Construct {
  readonly serverErrors: ServiceAlarm
  readonly authorizerFailures: ServiceAlarm

  constructor(scope: Construct, id: string, props: AlarmScope & { readonly apiName: string }) {
    super(scope, id)
    const { environment, apiName } = props
    this.serverErrors = new ServiceAlarm(this, 'ServerErrors', {
      ...props,
      runbook: 'server-errors',
      means: 'At least 5 responses a minute, and at least 1 in 100, were errors of the service (5xx), for 2 minutes.',
      // From the access log: API Gateway's metric 5XXError also counts the reserved operation's 501.
      metric: new MathExpression({
        label: 'failed requests in a hundred',
        expression: 'IF(failed >= 5, 100 * failed / requests, 0)',
        usingMetrics: {
          failed: requestMetric(environment, 'Failed').with({ period: oneMinute }),
          requests: apiMetric(apiName, 'Count', 'SampleCount').with({ period: oneMinute }),
        },
        period: oneMinute,
      }),
      threshold: 1,
      periods: 2,
    })
    this.authorizerFailures = new ServiceAlarm(this, 'AuthorizerFailures', {
      ...props,
      runbook: 'authorizer-failures',
      means: 'The authorizer failed on at least 3 requests in a minute; the response to each was 503.',
      metric: requestMetric(environment, 'AuthorizerFailures').with({ period: oneMinute }),
      threshold: 3,
    })
  }
}
