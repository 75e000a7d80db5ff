/**
 * Replaces `@aws-sdk/middleware-endpoint-discovery` in a bundle. No command of DynamoDB uses endpoint discovery; its
 * client only prepares a cache, which would add three packages.
 */

/** Never loaded, because nothing reads whether discovery is enabled. */
export const NODE_ENDPOINT_DISCOVERY_CONFIG_OPTIONS = {
  environmentVariableSelector: (): undefined => undefined,
  configFileSelector: (): undefined => undefined,
  default: undefined,
}

export const resolveEndpointDiscoveryConfig = <Configuration>(configuration: Configuration): Configuration =>
  configuration
