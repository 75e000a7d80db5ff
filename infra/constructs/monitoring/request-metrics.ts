import { Metric, Unit } from 'aws-cdk-lib/aws-cloudwatch'
import { FilterPattern, type ILogGroup, type JsonPattern } from 'aws-cdk-lib/aws-logs'
import { Construct } from 'constructs'
import type { Plan } from '../../../shared/api-keys/plans.ts'
import { catalogue, type ErrorCode } from '../../../shared/errors/catalogue.ts'
import { type ContractOperation, stageName } from '../../contract/contract.ts'
import type { EnvironmentName } from '../../environments.ts'
import { logField } from '../api/access-log.ts'
import { fiveMinutes } from './service-alarm.ts'

const { all, any, stringValue } = FilterPattern

const status = (is: '=' | '!=', text: string): JsonPattern => stringValue(logField('status'), is, text)
const statusOf = (is: '=' | '!=', code: ErrorCode): JsonPattern => status(is, String(catalogue[code].status))
const banned = (is: '=' | '!='): JsonPattern =>
  stringValue(logField('errorCode'), is, 'api_key_banned' satisfies ErrorCode)
const responseType = (type: string): JsonPattern => stringValue(logField('responseType'), '=', type)

/** Each request has exactly one outcome. */
const outcomes = {
  Ok: any(status('=', '2*'), status('=', '3*')),
  /** Over a limit, of the table of keys or of a usage plan. */
  Limited: all(statusOf('=', 'rate_limit_exceeded'), banned('!=')),
  Banned: all(statusOf('=', 'api_key_banned'), banned('=')),
  Unauthorized: statusOf('=', 'unauthorized'),
  /** Errors that the caller can fix, and requests to the reserved operation. */
  Rejected: any(
    all(status('=', '4*'), statusOf('!=', 'rate_limit_exceeded'), statusOf('!=', 'unauthorized')),
    statusOf('=', 'not_implemented'),
  ),
  /** Errors of the service. */
  Failed: all(status('=', '5*'), statusOf('!=', 'not_implemented')),
} as const satisfies Record<string, JsonPattern>

export type Outcome = keyof typeof outcomes

export const outcomeNames = Object.keys(outcomes).filter((name): name is Outcome => Object.hasOwn(outcomes, name))

/** The requests on which the authorizer failed to decide. Each of them has the outcome `Failed` too. */
const authorizerFailures = {
  name: 'AuthorizerFailures',
  pattern: any(responseType('AUTHORIZER_FAILURE'), responseType('AUTHORIZER_CONFIGURATION_ERROR')),
} as const

/** All requests of a plan, with any outcome. */
const ofPlan = 'Requests'

export type RequestMetric = Outcome | typeof authorizerFailures.name | typeof ofPlan

const namespaceOf = (environment: EnvironmentName): string => `PetAdoption/${environment}`
const operationsNamespaceOf = (environment: EnvironmentName): string => `${namespaceOf(environment)}/operations`

/** The number of requests with an outcome in five minutes, of one plan or of all. */
export const requestMetric = (environment: EnvironmentName, metricName: RequestMetric, plan?: Plan): Metric =>
  new Metric({
    namespace: namespaceOf(environment),
    metricName,
    ...(plan !== undefined && { dimensionsMap: { Plan: plan }, label: plan }),
    statistic: 'Sum',
    period: fiveMinutes,
  })

/** The number of requests to an operation in five minutes. */
export const operationMetric = (environment: EnvironmentName, { name }: ContractOperation): Metric =>
  new Metric({
    namespace: operationsNamespaceOf(environment),
    metricName: name,
    label: name,
    statistic: 'Sum',
    period: fiveMinutes,
  })

/**
 * A metric of API Gateway, over five minutes. It has the names of API and stage rather than references: an alarm that
 * rolls functions back would wait for the stage, and the stage for the functions.
 */
export const apiMetric = (apiName: string, metricName: 'Count' | 'Latency', statistic: string): Metric =>
  new Metric({
    namespace: 'AWS/ApiGateway',
    metricName,
    dimensionsMap: { ApiName: apiName, Stage: stageName },
    label: statistic,
    statistic,
    period: fiveMinutes,
  })

export interface RequestMetricsProps {
  readonly environment: EnvironmentName
  readonly log: ILogGroup
  readonly operations: readonly ContractOperation[]
}

/**
 * Counts the requests from the access log, which adds no work to a function: by outcome, for all plans together and for
 * each plan (a filter with dimensions counts nothing for all together), and by operation.
 */
export class RequestMetrics extends Construct {
  constructor(scope: Construct, id: string, { environment, log, operations }: RequestMetricsProps) {
    super(scope, id)
    const common = { metricNamespace: namespaceOf(environment), metricValue: '1', unit: Unit.COUNT }
    const countAll = (metricName: RequestMetric, filterPattern: JsonPattern) =>
      log.addMetricFilter(metricName, { ...common, metricName, filterPattern, defaultValue: 0 })
    // API Gateway writes `-` where the authorizer has named no plan.
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
    // One filter for each operation rather than one with the route as a dimension: callers choose the method, and each
    // new value would be a metric at a price.
    for (const { name, method, path } of operations) {
      log.addMetricFilter(`${name}-requests`, {
        ...common,
        metricNamespace: operationsNamespaceOf(environment),
        metricName: name,
        filterPattern: all(stringValue(logField('method'), '=', method), stringValue(logField('route'), '=', path)),
      })
    }
  }
}
