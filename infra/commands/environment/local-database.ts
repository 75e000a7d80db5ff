import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb'
import { timeLimits } from './aws-client-settings.ts'
import { createCommandRetryStrategy } from './retry-strategy.ts'

/** AWS Region that the local environment reports. */
export const localRegion = 'us-east-1'

/** Credentials for the local database, which accepts any: it checks only that a request is signed. */
export const localCredentials = { accessKeyId: 'local', secretAccessKey: 'local' } as const

/**
 * A value for every option that the SDK would otherwise read from the shell or from the files of the AWS CLI: such a
 * setting, for example `AWS_USE_FIPS_ENDPOINT=true`, would make the SDK refuse the local endpoint.
 */
const ownSettings = {
  region: localRegion,
  credentials: localCredentials,
  useFipsEndpoint: false,
  useDualstackEndpoint: false,
  accountIdEndpointMode: 'disabled',
  endpointDiscoveryEnabled: false,
  authSchemePreference: [],
  defaultsMode: 'standard',
  retryMode: 'standard',
  maxAttempts: 3,
  userAgentAppId: '',
} as const satisfies DynamoDBClientConfig

/** Connects to the database of a local environment, as functions do: a call is attempted three times. */
export const connectToLocalDatabase = (endpoint: string): DynamoDBClient =>
  new DynamoDBClient({ endpoint, ...ownSettings })

/** Connects to the database of a local environment, with the retry strategy of commands. */
export const connectCommandToLocalDatabase = (endpoint: string): DynamoDBClient =>
  new DynamoDBClient({
    endpoint,
    ...ownSettings,
    requestHandler: timeLimits,
    retryStrategy: createCommandRetryStrategy(),
  })
