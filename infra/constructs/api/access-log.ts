import { AccessLogFormat, AccessLogField as Field } from 'aws-cdk-lib/aws-apigateway'
import type { AuthorizerContext } from '../../../shared/http/authorizer-context.ts'

const fromAuthorizer = (key: keyof AuthorizerContext): string => Field.contextAuthorizer(key)

/**
 * What the log records of each request, one line of JSON. Callers choose only the method and a `requestId`, so none can
 * break the JSON or write a key into it: the log has no path, query or header. Every value is a string, because API Gateway
 * writes `-` for what a request does not have.
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

export const accessLogFormat = (tracing: boolean): AccessLogFormat =>
  AccessLogFormat.custom(JSON.stringify({ ...fields, ...(tracing && traceField) }))
