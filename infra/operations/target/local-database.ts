import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { localRegion } from '../../local/template/physical-names.ts'

/** The embedded engines check that a request is signed, not by whom. */
export const localCredentials = { accessKeyId: 'local', secretAccessKey: 'local' } as const

export const connect = (endpoint: string): DynamoDBClient =>
  new DynamoDBClient({ endpoint, region: localRegion, credentials: localCredentials })
