import { RemovalPolicy } from 'aws-cdk-lib'
import { AccessLogFormat, AccessLogField as Field } from 'aws-cdk-lib/aws-apigateway'
import { CfnQueryDefinition, type ILogGroup, LogGroup } from 'aws-cdk-lib/aws-logs'
import { Construct } from 'constructs'
import type { AuthorizerContext } from '../../../shared/http/authorizer-context.ts'
import type { EnvironmentConfig, EnvironmentName } from '../../environments.ts'

/**
 * A log group that is retained or deleted like the data of its environment. A first deployment that fails deletes the
 * log group in either case.
 */
export class ServiceLogGroup extends LogGroup {
  constructor(scope: Construct, id: string, { data, logRetentionDays }: EnvironmentConfig) {
    const removalPolicy = data === 'protected' ? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE : RemovalPolicy.DESTROY
    super(scope, id, { retention: logRetentionDays, removalPolicy })
  }
}

/**
 * The fields that the access log records of each request, as one line of JSON. Every value is a string, because API
 * Gateway writes `-` for a value that a request does not have.
 *
 * Callers choose only the method and a `requestId`, so no caller can break the JSON or write an API key into the log:
 * it has no path, query or header.
 */
const accessLogFields: Readonly<Record<string, string>> = {
  /**
   * A caller may choose the id, but only as a UUID: API Gateway replaces anything else ("Access logging for REST
   * APIs").
   */
  requestId: Field.contextRequestId(),
  /** Unique id that API Gateway chooses. */
  extendedRequestId: Field.contextExtendedRequestId(),
  method: Field.contextHttpMethod(),
  route: Field.contextResourcePath(),
  status: Field.contextStatus(),
  keyId: Field.contextAuthorizer('keyId' satisfies keyof AuthorizerContext),
  plan: Field.contextAuthorizer('plan' satisfies keyof AuthorizerContext),
  /** Error code that the authorizer passed to the function; `none` for an admitted request. */
  errorCode: Field.contextAuthorizer('errorCode' satisfies keyof AuthorizerContext),
  /** Type of the gateway response, if API Gateway itself responded. */
  responseType: Field.contextErrorResponseType(),
  // Latencies are in milliseconds.
  latency: Field.contextResponseLatency(),
  authorizerLatency: Field.contextAuthorizerLatency(),
  integrationLatency: Field.contextIntegrationLatency(),
  /** Request ids in the logs of the authorizer and of the function. */
  authorizerRequestId: Field.contextAuthorizerRequestId(),
  integrationRequestId: Field.contextAwsEndpointRequestId(),
}

export const accessLogFormat = AccessLogFormat.custom(JSON.stringify(accessLogFields))

/** Queries of the access log that the runbook uses, by the names under which they are saved. */
const accessLogQueries = {
  // 501 is the response of a reserved operation, and no failure.
  'failures-by-route': [
    'filter status like /^5/ and status != "501"',
    'stats count(*) as failures by method, route, status, responseType',
    'sort failures desc',
  ],
  'slowest-routes': [
    'stats count(*) as requests, pct(latency, 99), pct(authorizerLatency, 99), pct(integrationLatency, 99) ' +
      'by method, route',
    'sort requests desc',
  ],
  'who-is-limited': [
    'filter status = "429"',
    'stats count(*) as refused by keyId, plan, errorCode, responseType',
    'sort refused desc',
  ],
  'requests-by-key': ['stats count(*) as requests by keyId, plan, status', 'sort requests desc'],
  'requests-by-status': ['stats count(*) as requests by method, route, status', 'sort requests desc'],
  // Operators replace the dots by an id.
  'one-request': [
    'filter extendedRequestId = "..." or requestId = "..."',
    'display extendedRequestId, requestId, keyId, method, route, status, errorCode, responseType, ' +
      'authorizerRequestId, integrationRequestId',
  ],
}

/** Query of the logs of all functions. */
const functionErrorsQuery = [
  'filter level in ["WARN", "ERROR", "FATAL"]',
  // The members of `message` are those of `shared/http/response/log-failure.ts`. Lambda itself logs what the authorizer
  // throws: such a line has none of them, only `@message`.
  'display @timestamp, @log, requestId, message.operation, message.keyId, message.extendedRequestId, @message',
  'sort @timestamp desc',
]

/** Saves the queries in CloudWatch Logs Insights, in the folder `pet-adoption-<environment>`. */
export const saveQueries = (
  scope: Construct,
  environment: EnvironmentName,
  accessLog: ILogGroup,
  functionLogs: readonly ILogGroup[],
): void => {
  const queries = new Construct(scope, 'Queries')
  const save = (name: string, lines: readonly string[], logGroups: readonly ILogGroup[]) =>
    new CfnQueryDefinition(queries, name, {
      name: `pet-adoption-${environment}/${name}`,
      queryString: lines.join('\n| '),
      logGroupNames: logGroups.map(({ logGroupName }) => logGroupName),
    })

  for (const [name, lines] of Object.entries(accessLogQueries)) save(name, lines, [accessLog])
  save('function-errors', functionErrorsQuery, functionLogs)
}
