import { CfnRestApi, EndpointAccessMode, type RestApi, SecurityPolicy } from 'aws-cdk-lib/aws-apigateway'

/**
 * TLS 1.3 and 1.2, with forward secrecy only. Left to itself a regional API takes TLS 1.0 too
 * ("Supported security policies" in the Amazon API Gateway Developer Guide).
 */
export const securityPolicy = SecurityPolicy.TLS13_1_2_PFS_PQ_2025_09

/** Every policy of that generation asks for one: here, only requests that come to this very host. */
export const endpointAccessMode = EndpointAccessMode.STRICT

/** CDK has these properties on the resource only, not on its construct. */
export const secureEndpoint = (restApi: RestApi): void => {
  const resource = restApi.node.defaultChild
  if (!(resource instanceof CfnRestApi)) throw new Error('The REST API has no resource to secure.')
  resource.securityPolicy = securityPolicy
  resource.endpointAccessMode = endpointAccessMode
}
