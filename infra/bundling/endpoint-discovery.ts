/**
 * Stands in a bundle for `@aws-sdk/middleware-endpoint-discovery`. No command of DynamoDB asks for an
 * endpoint to be discovered; its client only prepares a cache for them, which would bring along three
 * packages.
 */

/** Never loaded, because nothing asks whether discovery is enabled. */
export const NODE_ENDPOINT_DISCOVERY_CONFIG_OPTIONS = {
  environmentVariableSelector: (): undefined => undefined,
  configFileSelector: (): undefined => undefined,
  default: undefined,
}

export const resolveEndpointDiscoveryConfig = <Configuration>(configuration: Configuration): Configuration =>
  configuration
