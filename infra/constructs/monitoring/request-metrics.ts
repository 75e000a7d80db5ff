import { Duration } from 'aws-cdk-lib'
import { Metric, Unit } from 'aws-cdk-lib/aws-cloudwatch'
import { FilterPattern, type ILogGroup, type JsonPattern } from 'aws-cdk-lib/aws-logs'
import { Construct } from 'constructs'
import type { Plan } from '../../../shared/api-keys/plans.ts'
import { catalogue, type ErrorCode } from '../../../shared/errors/catalogue.ts'
import type { EnvironmentName } from '../../environments.ts'
import { logField } from '../api/access-log.ts'

const { all, any, stringValue } = FilterPattern

const status = (is: '=' | '!=', text: string): JsonPattern => stringValue(logField('status'), is, text)
const statusOf = (is: '=' | '!=', code: ErrorCode): JsonPattern => status(is, String(catalogue[code].status))
const banned = (is: '=' | '!='): JsonPattern =>
  stringValue(logField('errorCode'), is, 'api_key_banned' satisfies ErrorCode)
const responseType = (type: string): JsonPattern => stringValue(logField('responseType'), '=', type)

/** What can become of a request. Each request has one outcome. */
const outcomes = {
  Ok: any(status('=', '2*'), status('=', '3*')),
  /** Over a limit, whether the table of keys or a usage plan says so. */
  Limited: all(statusOf('=', 'rate_limit_exceeded'), banned('!=')),
  Banned: all(statusOf('=', 'api_key_banned'), banned('=')),
  Unauthorized: statusOf('=', 'unauthorized'),
  /** The caller's to mend, the reserved operation included. */
  Rejected: any(
    all(status('=', '4*'), statusOf('!=', 'rate_limit_exceeded'), statusOf('!=', 'unauthorized')),
    statusOf('=', 'not_implemented'),
  ),
  /** The service's own fault. */
  Failed: all(status('=', '5*'), statusOf('!=', 'not_implemented')),
} as const satisfies Record<string, JsonPattern>

export type Outcome = keyof typeof outcomes

export const outcomeNames = Object.keys(outcomes).filter((name): name is Outcome => Object.hasOwn(outcomes, name))

/** Beside the outcomes: the requests that the authorizer failed to decide on. Each of them is `Failed` too. */
const authorizerFailures = {
  name: 'AuthorizerFailures',
  pattern: any(responseType('AUTHORIZER_FAILURE'), responseType('AUTHORIZER_CONFIGURATION_ERROR')),
} as const

/** All requests of a plan, whatever became of them. */
const ofPlan = 'Requests'

export type RequestMetric = Outcome | typeof authorizerFailures.name | typeof ofPlan

const namespaceOf = (environment: EnvironmentName): string => `PetAdoption/${environment}`

/** How many requests had an outcome, of one plan or of all. */
export const requestMetric = (environment: EnvironmentName, metricName: RequestMetric, plan?: Plan): Metric =>
  new Metric({
    namespace: namespaceOf(environment),
    metricName,
    ...(plan !== undefined && { dimensionsMap: { Plan: plan } }),
    statistic: 'Sum',
    period: Duration.minutes(1),
  })

/**
 * Counts the requests by outcome, once for all and once for each plan, from the access log: the
 * functions pay nothing for it. (A filter with dimensions counts nothing for all together.)
 */
export class RequestMetrics extends Construct {
  constructor(scope: Construct, id: string, props: { readonly environment: EnvironmentName; readonly log: ILogGroup }) {
    super(scope, id)
    const { environment, log } = props
    const common = { metricNamespace: namespaceOf(environment), metricValue: '1', unit: Unit.COUNT }
    const countAll = (metricName: RequestMetric, filterPattern: JsonPattern) =>
      log.addMetricFilter(metricName, { ...common, metricName, filterPattern, defaultValue: 0 })
    // API Gateway writes `-` where the authorizer has not said the plan.
    const planKnown = stringValue(logField('plan'), '!=', '-')
    const countByPlan = (metricName: RequestMetric, filterPattern: JsonPattern) =>
      log.addMetricFilter(`${metricName}ByPlan`, {
        ...common,
        metricName,
        filterPattern,
        dimensions: { Plan: logField('plan') },
      })
    for (const name of outcomeNames) {
      countAll(name, outcomes[name])
      countByPlan(name, all(outcomes[name], planKnown))
    }
    countByPlan(ofPlan, planKnown)
    countAll(authorizerFailures.name, authorizerFailures.pattern)
  }
}
