import { RemovalPolicy } from 'aws-cdk-lib'
import {
  AccessLogFormat,
  AccessLogField as Field,
  type IAccessLogDestination,
  LogGroupLogDestination,
} from 'aws-cdk-lib/aws-apigateway'
import { LogGroup } from 'aws-cdk-lib/aws-logs'
import { Construct } from 'constructs'
import type { AuthorizerContext } from '../../../shared/http/authorizer-context.ts'
import type { EnvironmentConfig } from '../../environments.ts'

const fromAuthorizer = (key: keyof AuthorizerContext): string => Field.contextAuthorizer(key)

/**
 * What the log records of each request: what a saved query or `npm run keys -- usage` reads. Callers choose only the method and a `requestId`, so none can break the JSON or
 * write a key into it: the log has no path, query or header. Every value is a string, because API Gateway writes `-` for what a request does not have.
 */
const fields = {
  /** A caller may choose it, though only a UUID: API Gateway replaces anything else ("Access logging for REST APIs"). */
  requestId: Field.contextRequestId(),
  /** Unique, chosen by API Gateway. */
  extendedRequestId: Field.contextExtendedRequestId(),
  method: Field.contextHttpMethod(),
  route: Field.contextResourcePath(),
  status: Field.contextStatus(),
  keyId: fromAuthorizer('keyId'),
  plan: fromAuthorizer('plan'),
  /** Why the authorizer refused the request. */
  errorCode: fromAuthorizer('errorCode'),
  /** The type of the gateway response, where API Gateway responded itself. */
  responseType: Field.contextErrorResponseType(),
  latency: Field.contextResponseLatency(),
  authorizerLatency: Field.contextAuthorizerLatency(),
  integrationLatency: Field.contextIntegrationLatency(),
  /** The request ids in the logs of the functions. */
  authorizerRequestId: Field.contextAuthorizerRequestId(),
  integrationRequestId: Field.contextAwsEndpointRequestId(),
} as const

/** Only with tracing: a caller may choose it, and AWS does not document which characters it may contain. */
const traceField = { traceId: Field.contextXrayTraceId() } as const

/** A field of a log line in the syntax of metric filters. */
export const logField = (name: keyof typeof fields): string => `$.${name}`

/** A log group with one line of JSON for each request. */
export class AccessLog extends Construct {
  readonly logGroup: LogGroup
  readonly destination: IAccessLogDestination
  readonly format: AccessLogFormat

  constructor(scope: Construct, id: string, { data, logRetentionDays, tracing }: EnvironmentConfig) {
    super(scope, id)
    this.format = AccessLogFormat.custom(JSON.stringify({ ...fields, ...(tracing && traceField) }))
    this.logGroup = new LogGroup(this, 'Requests', {
      retention: logRetentionDays,
      removalPolicy: data === 'protected' ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
    })
    this.destination = new LogGroupLogDestination(this.logGroup)
  }
}
