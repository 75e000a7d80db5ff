import { DynamoDBClient } from '@aws-sdk/client-dynamodb'

/** The Region that the local environment says it is in. */
export const localRegion = 'us-east-1'

/** The embedded engines check that a request is signed, not by whom. */
export const localCredentials = { accessKeyId: 'local', secretAccessKey: 'local' } as const

export const connectToLocalDatabase = (endpoint: string): DynamoDBClient =>
  new DynamoDBClient({ endpoint, region: localRegion, credentials: localCredentials })
