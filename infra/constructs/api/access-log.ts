import { RemovalPolicy } from 'aws-cdk-lib'
import {
  AccessLogFormat,
  AccessLogField as Field,
  type IAccessLogDestination,
  LogGroupLogDestination,
} from 'aws-cdk-lib/aws-apigateway'
import { LogGroup } from 'aws-cdk-lib/aws-logs'
import { Construct } from 'constructs'
import type { AuthorizerContext } from '../../../shared/http/gateway-event.ts'
import type { EnvironmentConfig } from '../../environments.ts'

const fromAuthorizer = (key: keyof AuthorizerContext): string => Field.contextAuthorizer(key)

/**
 * What is written of every request. The service chooses all of it, except the method, the route's
 * template and `requestId`, so no caller can break the JSON or write a key into it: neither path, query and
 * headers, nor `$context.identity.apiKey`, which is the hash of the key. Every value is a string,
 * because API Gateway writes `-` for what a request does not have.
 */
const fields = {
  /** A caller may choose it, though only a UUID: API Gateway replaces anything else ("Access logging for REST APIs"). */
  requestId: Field.contextRequestId(),
  /** API Gateway's own, unique: no caller can choose it. */
  extendedRequestId: Field.contextExtendedRequestId(),
  time: Field.contextRequestTime(),
  method: Field.contextHttpMethod(),
  route: Field.contextResourcePath(),
  status: Field.contextStatus(),
  keyId: fromAuthorizer('keyId'),
  plan: fromAuthorizer('plan'),
  /** Of the authorizer's refusal. */
  errorCode: fromAuthorizer('errorCode'),
  /** The gateway response, where API Gateway answered by itself. */
  responseType: Field.contextErrorResponseType(),
  latency: Field.contextResponseLatency(),
  authorizerLatency: Field.contextAuthorizerLatency(),
  integrationLatency: Field.contextIntegrationLatency(),
  responseLength: Field.contextResponseLength(),
  /** Lead to the functions' own log lines. */
  authorizerRequestId: Field.contextAuthorizerRequestId(),
  integrationRequestId: Field.contextAwsEndpointRequestId(),
} as const

/** Only where there are traces: a caller may choose it, and AWS does not document which characters get through. */
const traceField = { traceId: Field.contextXrayTraceId() } as const

/** A field of a log line, as a metric filter names it. */
export const logField = (name: keyof typeof fields): string => `$.${name}`

/** One line of JSON for each request, in a log group of its own. */
export class AccessLog extends Construct {
  readonly logGroup: LogGroup
  readonly destination: IAccessLogDestination
  readonly format: AccessLogFormat

  constructor(scope: Construct, id: string, { logs, tracing }: Pick<EnvironmentConfig, 'logs' | 'tracing'>) {
    super(scope, id)
    this.format = AccessLogFormat.custom(JSON.stringify({ ...fields, ...(tracing && traceField) }))
    this.logGroup = new LogGroup(this, 'Requests', {
      retention: logs.retentionDays,
      removalPolicy: logs.keptAfterStack ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
    })
    this.destination = new LogGroupLogDestination(this.logGroup)
  }
}
