import { RemovalPolicy } from 'aws-cdk-lib'
import { AccessLogFormat, AccessLogField as Field } from 'aws-cdk-lib/aws-apigateway'
import { CfnQueryDefinition, type ILogGroup, LogGroup, type LogGroupProps } from 'aws-cdk-lib/aws-logs'
import { Construct } from 'constructs'
import type { AuthorizerContext } from '../../../shared/http/authorizer-context.ts'
import type { EnvironmentConfig, EnvironmentName } from '../../environments.ts'

/** A log group that stays as the data of its environment does. A first deployment that fails leaves none behind. */
export class ServiceLogGroup extends LogGroup {
  constructor(scope: Construct, id: string, { data, logRetentionDays }: EnvironmentConfig, props: LogGroupProps = {}) {
    const removalPolicy = data === 'protected' ? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE : RemovalPolicy.DESTROY
    super(scope, id, { retention: logRetentionDays, removalPolicy, ...props })
  }
}

/**
 * What the log records of each request, one line of JSON. Callers choose only the method and a `requestId`, so none can
 * break the JSON or write a key into it: the log has no path, query or header. Every value is a string, because API Gateway
 * writes `-` for what a request does not have.
 */
const fields: Readonly<Record<string, string>> = {
  /** A caller may choose it, though only a UUID: API Gateway replaces anything else ("Access logging for REST APIs"). */
  requestId: Field.contextRequestId(),
  /** Unique, chosen by API Gateway. */
  extendedRequestId: Field.contextExtendedRequestId(),
  method: Field.contextHttpMethod(),
  route: Field.contextResourcePath(),
  status: Field.contextStatus(),
  keyId: Field.contextAuthorizer('keyId' satisfies keyof AuthorizerContext),
  plan: Field.contextAuthorizer('plan' satisfies keyof AuthorizerContext),
  /** Why the authorizer refused the request. */
  errorCode: Field.contextAuthorizer('errorCode' satisfies keyof AuthorizerContext),
  /** The type of the gateway response, where API Gateway responded itself. */
  responseType: Field.contextErrorResponseType(),
  latency: Field.contextResponseLatency(),
  authorizerLatency: Field.contextAuthorizerLatency(),
  integrationLatency: Field.contextIntegrationLatency(),
  /** The request ids in the logs of the functions. */
  authorizerRequestId: Field.contextAuthorizerRequestId(),
  integrationRequestId: Field.contextAwsEndpointRequestId(),
}

export const accessLogFormat = AccessLogFormat.custom(JSON.stringify(fields))

/** What the runbook asks the access log, by the names of the saved queries. */
const accessLogQueries = {
  'failures-by-route': [
    'filter status like /^5/ and status != "501"',
    'stats count(*) as failures by method, route, status, responseType',
    'sort failures desc',
  ],
  'slowest-routes': [
    'stats count(*) as requests, pct(latency, 99), pct(authorizerLatency, 99), pct(integrationLatency, 99) by method, route',
    'sort requests desc',
  ],
  'who-is-limited': [
    'filter status = "429"',
    'stats count(*) as refused by keyId, plan, errorCode, responseType',
    'sort refused desc',
  ],
  'requests-by-key': ['stats count(*) as requests by keyId, plan, status', 'sort requests desc'],
  'requests-by-status': ['stats count(*) as requests by method, route, status', 'sort requests desc'],
  // The ids are filled in by hand.
  'one-request': [
    'filter extendedRequestId = "..." or requestId = "..."',
    'display extendedRequestId, requestId, keyId, method, route, status, errorCode, responseType, authorizerRequestId, integrationRequestId',
  ],
}

/** What it asks the logs of the functions. A refused key is an error to Lambda, and none of the service. */
const functionErrors = [
  'filter @message not like /"errorMessage": *"Unauthorized"/ and level in ["WARN", "ERROR", "FATAL"]',
  'display @timestamp, @log, requestId, @message',
  'sort @timestamp desc',
]

/** The saved queries of CloudWatch Logs Insights, in the folder `pet-adoption-<environment>`. */
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
  save('function-errors', functionErrors, functionLogs)
}
