/**
 * Replaces packages in a bundle.
 *
 * `@aws-sdk/middleware-endpoint-discovery`: no command of DynamoDB uses endpoint discovery; its client only prepares a
 * cache, which would add three packages. Nothing reads the options.
 *
 * `@aws/lambda-invoke-store`: it keeps the traces of requests apart that an instance serves at the same time. An instance of
 * these functions serves one, and the SDK takes its trace id from the environment variable ("Defined runtime environment
 * variables").
 */
export const NODE_ENDPOINT_DISCOVERY_CONFIG_OPTIONS = {}

export const resolveEndpointDiscoveryConfig = <Configuration>(configuration: Configuration): Configuration =>
  configuration

export const InvokeStore = { getInstanceAsync: async (): Promise<undefined> => undefined }
