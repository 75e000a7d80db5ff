import { DynamoDBClient } from '@aws-sdk/client-dynamodb'

/** AWS Region that the local environment reports. */
export const localRegion = 'us-east-1'

/** Credentials for the local database, which accepts any: it checks only that a request is signed. */
export const localCredentials = { accessKeyId: 'local', secretAccessKey: 'local' } as const

export const connectToLocalDatabase = (endpoint: string): DynamoDBClient =>
  new DynamoDBClient({ endpoint, region: localRegion, credentials: localCredentials })
