/**
 * Replacements of two packages that the AWS SDK imports and the functions do not need. esbuild puts this module in
 * their place, so that a cold start is short: without it the bundles are 5 % larger, and take 1 to 10 % more processor
 * time to load (by function, medians of 41 rounds side by side, November 2026).
 *
 * `@aws-sdk/middleware-endpoint-discovery`: no call of DynamoDB uses endpoint discovery. DynamoDB's client only
 * prepares a cache for it, which would add three packages. Nothing reads the options that this module exports.
 *
 * `@aws/lambda-invoke-store`: the package separates the traces of requests that one instance serves at the same time.
 * An instance of these functions serves one request at a time, and the SDK takes its trace id from the environment
 * variable ("Defined runtime environment variables" in the AWS Lambda Developer Guide).
 */
export const NODE_ENDPOINT_DISCOVERY_CONFIG_OPTIONS = {}

export const resolveEndpointDiscoveryConfig = <Configuration>(configuration: Configuration): Configuration =>
  configuration

export const InvokeStore = { getInstanceAsync: async (): Promise<undefined> => undefined }
